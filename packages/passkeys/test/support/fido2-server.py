"""Judges ceremonies with fido2.server.Fido2Server: reads one JSON object per line, and prints one verdict per line."""

import json
import sys

from fido2.attestation import NoneAttestation, PackedAttestation
from fido2.client import ClientData
from fido2.cose import CoseKey
from fido2.ctap2 import AttestationObject, AttestedCredentialData, AuthenticatorData
from fido2.server import Fido2Server
from fido2.utils import websafe_decode
from fido2.webauthn import PublicKeyCredentialRpEntity
from fido2 import cbor

FORMATS = {"none": NoneAttestation, "packed": PackedAttestation}


def verify_attestation(attestation, client_data_hash):
    """Accepts the formats none and packed with self attestation."""
    verifier = FORMATS[attestation.fmt]()
    result = verifier.verify(attestation.att_statement, attestation.auth_data, client_data_hash)
    if result.trust_path:
        raise ValueError("The attestation has certificates.")


def create_server(expected):
    rp = PublicKeyCredentialRpEntity(expected["rpId"], "Example")
    origins = expected["origins"]
    return Fido2Server(
        rp,
        attestation="direct",
        verify_origin=lambda origin: origin in origins,
        verify_attestation=verify_attestation,
    )


def register(server, state, response):
    client_data = ClientData(websafe_decode(response["clientDataJSON"]))
    attestation = AttestationObject(websafe_decode(response["attestationObject"]))
    auth_data = server.register_complete(state, client_data, attestation)
    # The caller checks the algorithm, and that there is a credential.
    algorithms = [parameters["alg"] for parameters in server.allowed_algorithms]
    if auth_data.credential_data.public_key.ALGORITHM not in algorithms:
        raise ValueError("The algorithm was not offered.")


def authenticate(server, state, response, stored):
    key = CoseKey.parse(cbor.decode(websafe_decode(stored["publicKey"])))
    credential = AttestedCredentialData.create(b"\0" * 16, websafe_decode(stored["id"]), key)
    server.authenticate_complete(
        state,
        [credential],
        websafe_decode(response["id"]),
        ClientData(websafe_decode(response["clientDataJSON"])),
        AuthenticatorData(websafe_decode(response["authenticatorData"])),
        websafe_decode(response["signature"]),
    )


def judge(request):
    expected = request["expected"]
    state = {"challenge": expected["challenge"], "user_verification": "required"}
    server = create_server(expected)
    try:
        if request["type"] == "create":
            register(server, state, request["response"])
        else:
            authenticate(server, state, request["response"], request["stored"])
        return "accepted"
    except Exception as error:
        return "refused: %r" % error


for line in sys.stdin:
    print(json.dumps(judge(json.loads(line))), flush=True)
