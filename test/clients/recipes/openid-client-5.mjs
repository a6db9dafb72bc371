import express from 'express';
import session from 'express-session';
// Version 5 of openid-client; in a project of its own it has its own name.
import { generators, Issuer } from 'openid-client-5';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, BASE_URL, PORT } = process.env;

const issuer = await Issuer.discover(ISSUER);
const client = new issuer.Client({
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
  redirect_uris: [`${BASE_URL}/callback`],
  response_types: ['code'],
});

const app = express();
app.use(session({ secret: 'replace this', resave: false, saveUninitialized: false }));
app.get('/login', (request, response) => {
  const verifier = generators.codeVerifier();
  request.session.verifier = verifier;
  const code_challenge = generators.codeChallenge(verifier);
  response.redirect(
    client.authorizationUrl({ scope: 'openid profile email', code_challenge, code_challenge_method: 'S256' }),
  );
});
app.get('/callback', async (request, response) => {
  const parameters = client.callbackParams(request);
  const tokens = await client.callback(`${BASE_URL}/callback`, parameters, {
    code_verifier: request.session.verifier,
  });
  request.session.idToken = tokens.id_token;
  request.session.user = await client.userinfo(tokens);
  response.redirect('/');
});
app.get('/logout', (request, response) => {
  const { idToken } = request.session;
  request.session.destroy(() =>
    response.redirect(
      client.endSessionUrl({ id_token_hint: idToken, post_logout_redirect_uri: `${BASE_URL}/` }),
    ),
  );
});
app.get('/', (request, response) => response.json(request.session.user ?? null));
app.listen(Number(PORT));
