import json
import os

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # only while the server has plain http
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import ClientSecretJWT, PrivateKeyJWT

issuer, method = os.environ["ISSUER"], os.environ["METHOD"]
if method == "private_key_jwt":
    # A private key, for instance as PEM; the client is registered with its public key in `jwks`.
    credential = open(os.environ["PRIVATE_KEY"]).read()
else:
    credential = os.environ["CLIENT_SECRET"]
session = OAuth2Session(
    os.environ["CLIENT_ID"],
    credential,
    scope=f"{issuer}/token/introspect",
    token_endpoint_auth_method=method,
    revocation_endpoint_auth_method=method,  # Authlib introspects with this one, too
)
# The audience of the assertions is the issuer. Authlib would take the token endpoint.
session.register_client_auth_method(ClientSecretJWT(issuer))
session.register_client_auth_method(PrivateKeyJWT(issuer))

token = session.fetch_token(f"{issuer}/token", grant_type="client_credentials")
about = session.introspect_token(f"{issuer}/token/introspect", token=token["access_token"])
revoked = session.revoke_token(f"{issuer}/token/revoke", token=token["access_token"])
print(json.dumps({"introspection": about.json(), "revocation": revoked.status_code}))
