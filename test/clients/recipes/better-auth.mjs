import { betterAuth } from 'better-auth';
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node';
import { genericOAuth } from 'better-auth/plugins';
import express from 'express';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, BASE_URL, PORT } = process.env;

const auth = betterAuth({
  baseURL: BASE_URL,
  secret: 'replace this with 32 random characters',
  plugins: [
    genericOAuth({
      config: [
        {
          providerId: 'chancery',
          clientId: CLIENT_ID,
          clientSecret: CLIENT_SECRET,
          discoveryUrl: `${ISSUER}/.well-known/openid-configuration`,
          scopes: ['openid', 'profile', 'email'],
        },
      ],
    }),
  ],
});

const app = express();
app.all('/api/auth/{*path}', toNodeHandler(auth));
app.get('/', async (request, response) => {
  response.json(await auth.api.getSession({ headers: fromNodeHeaders(request.headers) }));
});
app.listen(Number(PORT));
