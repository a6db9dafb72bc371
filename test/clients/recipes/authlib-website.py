import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # only while the server has plain http
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session

issuer, base_url = os.environ["ISSUER"], os.environ["BASE_URL"]
session = OAuth2Session(
    os.environ["CLIENT_ID"],
    os.environ["CLIENT_SECRET"],
    redirect_uri=f"{base_url}/callback",
    scope="openid profile email",
    code_challenge_method="S256",
)
verifier = generate_token(48)


class Website(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/callback"):
            answer = f"{base_url}{self.path}"
            session.fetch_token(f"{issuer}/token", authorization_response=answer, code_verifier=verifier)
            return self.answer(200, session.get(f"{issuer}/userinfo").json())
        if self.path == "/login":
            url, _state = session.create_authorization_url(f"{issuer}/authorize", code_verifier=verifier)
            return self.answer(302, None, url)
        return self.answer(200, None)

    def answer(self, status, body, location=None):
        self.send_response(status)
        if location:
            self.send_header("location", location)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())


HTTPServer(("localhost", int(os.environ["PORT"])), Website).serve_forever()
