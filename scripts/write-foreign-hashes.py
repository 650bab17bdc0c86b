"""Writes test/fixtures/foreign: what Django, passlib, and PyPI's bcrypt and argon2-cffi make of passwords.

    python3 -m venv venv && venv/bin/pip install Django==5.2.19 passlib==1.7.4 bcrypt==5.0.0 argon2-cffi==25.1.0
    venv/bin/python scripts/write-foreign-hashes.py

python.json has hashes, django.sql a database that Django itself has filled. The tests need neither Python nor the network.
"""

import datetime
import json
import pathlib
import sqlite3
import tempfile

import bcrypt
import django
from argon2 import PasswordHasher, Type
from django.conf import settings
from django.core.management import call_command
from passlib.hash import pbkdf2_sha256, pbkdf2_sha512
from passlib.hash import scrypt as passlib_scrypt

target = pathlib.Path(__file__).parent.parent / "test" / "fixtures" / "foreign"
plain = "correct horse battery"
# Two forms of the same characters, only one of which is NFKC.
composed, decomposed = "caf\u00e9 Z\u00fcrich 2", "cafe\u0301 Zu\u0308rich 2"
rows = []


def add(source, password, hashed):
    rows.append({"from": source, "password": password, "hash": hashed})


for password in (plain, composed, decomposed, "nul\0byte in it", "x" * 72):
    add("bcrypt (PyPI)", password, bcrypt.hashpw(password.encode(), bcrypt.gensalt(5)).decode())
add("bcrypt (PyPI), 2a", plain, bcrypt.hashpw(plain.encode(), bcrypt.gensalt(5, prefix=b"2a")).decode())
for password in (plain, decomposed):
    add("passlib pbkdf2_sha256", password, pbkdf2_sha256.using(rounds=29000).hash(password))
    add("passlib pbkdf2_sha512", password, pbkdf2_sha512.using(rounds=25000).hash(password))
    add("passlib scrypt", password, passlib_scrypt.using(rounds=12).hash(password))
# What must at least be taken.
add("passlib scrypt, ln 16", plain, passlib_scrypt.using(rounds=16).hash(plain))
for kind in (Type.ID, Type.I, Type.D):
    hasher = PasswordHasher(time_cost=3, memory_cost=65536, parallelism=4, type=kind)
    add(f"argon2-cffi {kind.name}", plain, hasher.hash(plain))
add("argon2-cffi ID", decomposed, PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1).hash(decomposed))

(target / "python.json").write_text(json.dumps(rows, indent=2) + "\n")

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "django.sqlite3"
    settings.configure(
        INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": path}},
        PASSWORD_HASHERS=[
            "django.contrib.auth.hashers.PBKDF2PasswordHasher",
            "django.contrib.auth.hashers.Argon2PasswordHasher",
            "django.contrib.auth.hashers.BCryptPasswordHasher",
            "django.contrib.auth.hashers.BCryptSHA256PasswordHasher",
        ],
        USE_TZ=True,
    )
    django.setup()
    call_command("migrate", verbosity=0)
    from django.contrib.auth.hashers import make_password
    from django.contrib.auth.models import User

    def create(name, password, hasher="default", **fields):
        joined = datetime.datetime(2024, 5, 6, 7, 8, 9, 123456, tzinfo=datetime.timezone.utc)
        user = User(username=name, email=f"{name.capitalize()}@Example.org", date_joined=joined, **fields)
        user.password = make_password(password, hasher=hasher)
        user.save()

    create("ada", plain, first_name="Ada", last_name="Lovelace")
    create("grace", decomposed, first_name="Grace")
    create("alan", plain, hasher="argon2", is_active=False)
    create("edsger", plain, hasher="bcrypt")
    create("barbara", None)
    create("donald", plain, hasher="bcrypt_sha256")
    database = sqlite3.connect(path)
    begins = ('CREATE TABLE "auth_user" (', 'INSERT INTO "auth_user" VALUES')
    dump = [line for line in database.iterdump() if line.startswith(begins)]
    (target / "django.sql").write_text("\n".join(dump) + "\n")
