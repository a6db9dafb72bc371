import { generateCodeVerifier, OAuth2Client } from '@badgateway/oauth2-client';
import express from 'express';
import session from 'express-session';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, BASE_URL, PORT } = process.env;

const client = new OAuth2Client({
  server: ISSUER,
  discoveryEndpoint: '/.well-known/oauth-authorization-server',
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
});
const redirectUri = `${BASE_URL}/callback`;

const app = express();
app.use(session({ secret: 'replace this', resave: false, saveUninitialized: false }));
app.get('/login', async (request, response) => {
  const codeVerifier = await generateCodeVerifier();
  request.session.codeVerifier = codeVerifier;
  const scope = ['openid', 'profile', 'email'];
  response.redirect(await client.authorizationCode.getAuthorizeUri({ redirectUri, scope, codeVerifier }));
});
app.get('/callback', async (request, response) => {
  const { codeVerifier } = request.session;
  const url = new URL(request.url, BASE_URL).href;
  const token = await client.authorizationCode.getTokenFromCodeRedirect(url, { redirectUri, codeVerifier });
  const headers = { authorization: `Bearer ${token.accessToken}` };
  request.session.user = await (await fetch(`${ISSUER}/userinfo`, { headers })).json();
  response.redirect('/');
});
app.get('/', (request, response) => response.json(request.session.user ?? null));
app.listen(Number(PORT));
