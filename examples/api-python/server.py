"""An API in Python, which checks the access tokens of Gatehouse with PyJWT."""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt

ISSUER = os.environ.get("ISSUER", "http://localhost:8000")
RESOURCE = os.environ.get("RESOURCE", "https://api.example.org")

# Keeps the keys for five minutes, and asks again for one that it does not know.
keys = jwt.PyJWKClient(f"{ISSUER}/.well-known/jwks.json", timeout=5)


def claims_of(raw):
    """Returns the claims of a token, or raises a jwt.PyJWTError."""
    claims = jwt.decode(
        raw,
        keys.get_signing_key_from_jwt(raw),
        algorithms=["ES256", "RS256"],
        audience=RESOURCE,
        issuer=ISSUER,
        leeway=30,
        options={"require": ["exp", "iat", "iss", "aud", "sub"]},
    )
    # RFC 9068: a session or an ID token is no access token.
    if jwt.get_unverified_header(raw).get("typ") != "at+jwt":
        raise jwt.InvalidTokenError("no access token")
    return claims


class Orders(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/orders":
            return self.answer(404, {})
        scheme, _, raw = self.headers.get("Authorization", "").partition(" ")
        try:
            claims = claims_of(raw if scheme.lower() == "bearer" else "")
        except jwt.PyJWKClientConnectionError:
            return self.answer(503, {"code": "unavailable"})
        except jwt.PyJWTError:
            return self.answer(401, {"code": "unauthenticated"}, 'Bearer error="invalid_token"')
        # A scope says what the token is for. What this person may do, the API decides by its own data.
        if "orders:read" not in claims["scope"].split(" "):
            challenge = 'Bearer error="insufficient_scope", scope="orders:read"'
            return self.answer(403, {"code": "insufficient_scope"}, challenge)
        self.answer(200, {"of": claims["sub"], "orders": []})

    def answer(self, status, body, challenge=None):
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if challenge:
            self.send_header("WWW-Authenticate", challenge)
        self.end_headers()
        self.wfile.write(content)


port = int(os.environ.get("PORT", "8200"))
server = ThreadingHTTPServer(("localhost", port), Orders)
print(f"listening on http://localhost:{port}", flush=True)
server.serve_forever()
