import express from 'express';
import session from 'express-session';
import * as oauth from 'oauth4webapi';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, BASE_URL, PORT } = process.env;

const issuer = new URL(ISSUER);
// Only while the server has plain http.
const options = { [oauth.allowInsecureRequests]: issuer.protocol === 'http:' };
const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
const client = { client_id: CLIENT_ID };
const authentication = oauth.ClientSecretPost(CLIENT_SECRET);

const app = express();
app.use(session({ secret: 'replace this', resave: false, saveUninitialized: false }));
app.get('/login', async (request, response) => {
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  Object.assign(request.session, { verifier, state });
  const url = new URL(server.authorization_endpoint);
  url.search = new URLSearchParams({
    client_id: CLIENT_ID,
    redirect_uri: `${BASE_URL}/callback`,
    response_type: 'code',
    scope: 'openid profile email',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  response.redirect(url.href);
});
app.get('/callback', async (request, response) => {
  const { verifier, state } = request.session;
  const answer = oauth.validateAuthResponse(server, client, new URL(request.url, BASE_URL), state);
  const granted = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    answer,
    `${BASE_URL}/callback`,
    verifier,
    options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, granted, {
    requireIdToken: true,
  });
  const { sub } = oauth.getValidatedIdTokenClaims(tokens);
  const userinfo = await oauth.userInfoRequest(server, client, tokens.access_token, options);
  request.session.user = await oauth.processUserInfoResponse(server, client, sub, userinfo);
  response.redirect('/');
});
app.get('/', (request, response) => response.json(request.session.user ?? null));
app.listen(Number(PORT));
