import { randomUUID } from 'node:crypto';
import express from 'express';
import session from 'express-session';
import { AuthorizationCode } from 'simple-oauth2';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, BASE_URL, PORT } = process.env;

const client = new AuthorizationCode({
  client: { id: CLIENT_ID, secret: CLIENT_SECRET },
  auth: { tokenHost: ISSUER, tokenPath: '/token', authorizePath: '/authorize' },
});
const redirect_uri = `${BASE_URL}/callback`;

const app = express();
app.use(session({ secret: 'replace this', resave: false, saveUninitialized: false }));
app.get('/login', (request, response) => {
  const state = randomUUID();
  request.session.state = state;
  response.redirect(client.authorizeURL({ redirect_uri, scope: 'openid profile email', state }));
});
app.get('/callback', async (request, response) => {
  const { code, state } = request.query;
  if (state !== request.session.state) return response.status(400).end();
  const { token } = await client.getToken({ code, redirect_uri });
  const headers = { authorization: `Bearer ${token.access_token}` };
  request.session.user = await (await fetch(`${ISSUER}/userinfo`, { headers })).json();
  response.redirect('/');
});
app.get('/', (request, response) => response.json(request.session.user ?? null));
app.listen(Number(PORT));
