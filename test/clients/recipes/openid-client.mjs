import express from 'express';
import session from 'express-session';
import * as client from 'openid-client';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, BASE_URL, PORT } = process.env;

// allowInsecureRequests: only while the server has plain http.
const configuration = await client.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, {
  execute: ISSUER.startsWith('http:') ? [client.allowInsecureRequests] : [],
});

const app = express();
app.use(session({ secret: 'replace this', resave: false, saveUninitialized: false }));
app.get('/login', async (request, response) => {
  const verifier = client.randomPKCECodeVerifier();
  request.session.verifier = verifier;
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: `${BASE_URL}/callback`,
    scope: 'openid profile email',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  response.redirect(url.href);
});
app.get('/callback', async (request, response) => {
  const tokens = await client.authorizationCodeGrant(configuration, new URL(request.url, BASE_URL), {
    pkceCodeVerifier: request.session.verifier,
    idTokenExpected: true,
  });
  const { sub } = tokens.claims();
  request.session.idToken = tokens.id_token;
  request.session.user = await client.fetchUserInfo(configuration, tokens.access_token, sub);
  response.redirect('/');
});
app.get('/logout', (request, response) => {
  const { idToken } = request.session;
  request.session.destroy(() => {
    const parameters = { id_token_hint: idToken, post_logout_redirect_uri: `${BASE_URL}/` };
    response.redirect(client.buildEndSessionUrl(configuration, parameters).href);
  });
});
app.get('/', (request, response) => response.json(request.session.user ?? null));
app.listen(Number(PORT));
