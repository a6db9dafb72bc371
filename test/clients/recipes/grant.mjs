import express from 'express';
import session from 'express-session';
import grant from 'grant';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, BASE_URL, PORT } = process.env;

const app = express();
app.use(session({ secret: 'replace this', resave: false, saveUninitialized: false }));
app.use(
  grant.express({
    defaults: { origin: BASE_URL, transport: 'session', state: true, nonce: true, pkce: true },
    chancery: {
      oauth: 2,
      authorize_url: `${ISSUER}/authorize`,
      access_url: `${ISSUER}/token`,
      profile_url: `${ISSUER}/userinfo`,
      scope_delimiter: ' ',
      key: CLIENT_ID,
      secret: CLIENT_SECRET,
      scope: ['openid', 'profile', 'email'],
      response: ['tokens', 'profile'],
      callback: '/',
    },
  }),
);
app.get('/', (request, response) => response.json(request.session.grant?.response?.profile ?? null));
app.listen(Number(PORT));
