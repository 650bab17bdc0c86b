"""Writes test/features/authenticator-apps/totp-codes.json: codes that PyPI's pyotp, an implementation by others, makes of random secrets.

    python3 -m venv venv && venv/bin/pip install pyotp==2.9.0
    venv/bin/python scripts/write-totp-codes.py

The tests compare Gatehouse's codes with them, so that they need neither Python nor the network.
"""

import json
import pathlib
import random

import pyotp

random.seed(6238)
rows = []
for number in range(60):
    secret = pyotp.random_base32()
    # The first moments are at both sides of a step's boundary, the others anywhere until the year 2100.
    at = [60, 89, 90, 1_699_999_979, 1_699_999_980][number] if number < 5 else random.randrange(4_102_444_800)
    rows.append({"secret": secret, "at": at, "code": pyotp.TOTP(secret).at(at)})
target = pathlib.Path(__file__).parent.parent / "test" / "features" / "authenticator-apps" / "totp-codes.json"
target.write_text(json.dumps(rows, indent=2) + "\n")
