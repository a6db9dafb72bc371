import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"  # only while the server has plain http
from requests_oauthlib import OAuth2Session

issuer, base_url = os.environ["ISSUER"], os.environ["BASE_URL"]
session = OAuth2Session(
    os.environ["CLIENT_ID"],
    redirect_uri=f"{base_url}/callback",
    scope=["openid", "profile", "email"],
)


class Website(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/callback"):
            session.fetch_token(
                f"{issuer}/token",
                authorization_response=f"{base_url}{self.path}",
                client_secret=os.environ["CLIENT_SECRET"],
            )
            return self.answer(200, session.get(f"{issuer}/userinfo").json())
        if self.path == "/login":
            url, _state = session.authorization_url(f"{issuer}/authorize")
            return self.answer(302, None, url)
        return self.answer(200, None)

    def answer(self, status, body, location=None):
        self.send_response(status)
        if location:
            self.send_header("location", location)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())


HTTPServer(("localhost", int(os.environ["PORT"])), Website).serve_forever()
