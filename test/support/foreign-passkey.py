"""A passkey that others wrote: answers WebAuthn options with PyPI's fido2 and signs with PyPI's cryptography.

Reads lines of JSON: the options, the origin of the page, and either the COSE algorithm of a key to make or the key that
an earlier answer came with. Answers each by a line: the credential to send, and the key as it is from now on.
"""

import json
import os
import sys

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from fido2.client import DefaultClientDataCollector
from fido2.cose import CoseKey, EdDSA, ES256, RS256
from fido2.utils import sha256, websafe_decode, websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticationResponse,
    AuthenticatorAssertionResponse,
    AuthenticatorAttestationResponse,
    AuthenticatorData,
    PublicKeyCredentialCreationOptions,
    PublicKeyCredentialRequestOptions,
    RegistrationResponse,
    UserVerificationRequirement,
)

FLAG = AuthenticatorData.FLAG

makers = {
    ES256.ALGORITHM: lambda: ec.generate_private_key(ec.SECP256R1()),
    EdDSA.ALGORITHM: ed25519.Ed25519PrivateKey.generate,
    RS256.ALGORITHM: lambda: rsa.generate_private_key(65537, 2048),
}


def sign(private_key, message):
    if isinstance(private_key, ec.EllipticCurvePrivateKey):
        return private_key.sign(message, ec.ECDSA(hashes.SHA256()))
    if isinstance(private_key, rsa.RSAPrivateKey):
        return private_key.sign(message, padding.PKCS1v15(), hashes.SHA256())
    return private_key.sign(message)


def flags_for(requirement):
    """Verifies the user only where that is required, as a security key without a screen does."""
    return FLAG.UP | FLAG.UV if requirement == UserVerificationRequirement.REQUIRED else FLAG.UP


def create(options, origin, algorithm):
    options = PublicKeyCredentialCreationOptions.from_dict(options)
    if algorithm not in [parameters.alg for parameters in options.pub_key_cred_params]:
        sys.exit(f"the algorithm {algorithm} was not asked for")
    # Refuses an rp id that does not belong to the origin, as a browser does.
    client_data, rp_id = DefaultClientDataCollector(origin).collect_client_data(options)
    private_key = makers[algorithm]()
    credential_id = os.urandom(48)
    public_key = CoseKey.for_alg(algorithm).from_cryptography_key(private_key.public_key())
    auth_data = AuthenticatorData.create(
        sha256(rp_id.encode()),
        flags_for(options.authenticator_selection.user_verification) | FLAG.AT,
        1,
        AttestedCredentialData.create(Aaguid.NONE, credential_id, public_key),
    )
    response = AuthenticatorAttestationResponse(
        client_data=client_data,
        attestation_object=AttestationObject.create("none", auth_data, {}),
    )
    private_bytes = private_key.private_bytes(
        serialization.Encoding.DER,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    key = {
        "id": websafe_encode(credential_id),
        "privateKey": websafe_encode(private_bytes),
        "userHandle": websafe_encode(options.user.id),
        "counter": 1,
    }
    return RegistrationResponse(raw_id=credential_id, response=response), key


def get(options, origin, key):
    options = PublicKeyCredentialRequestOptions.from_dict(options)
    credential_id = websafe_decode(key["id"])
    if options.allow_credentials and credential_id not in [allowed.id for allowed in options.allow_credentials]:
        sys.exit("this key is not among those that were asked for")
    client_data, rp_id = DefaultClientDataCollector(origin).collect_client_data(options)
    counter = key["counter"] + 1
    auth_data = AuthenticatorData.create(sha256(rp_id.encode()), flags_for(options.user_verification), counter)
    private_key = serialization.load_der_private_key(websafe_decode(key["privateKey"]), None)
    response = AuthenticatorAssertionResponse(
        client_data=client_data,
        authenticator_data=auth_data,
        signature=sign(private_key, auth_data + client_data.hash),
        user_handle=websafe_decode(key["userHandle"]),
    )
    return AuthenticationResponse(raw_id=credential_id, response=response), {**key, "counter": counter}


for line in sys.stdin:
    request = json.loads(line)
    if "key" in request:
        credential, key = get(request["options"], request["origin"], request["key"])
    else:
        credential, key = create(request["options"], request["origin"], request["algorithm"])
    print(json.dumps({"credential": dict(credential), "key": key}), flush=True)
