import { ExpressAuth, getSession } from '@auth/express';
import express from 'express';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT } = process.env;

const configuration = {
  secret: 'replace this with 32 random characters',
  trustHost: true,
  providers: [
    {
      id: 'chancery',
      name: 'Chancery',
      type: 'oidc',
      issuer: ISSUER,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      // Name and e-mail address come from UserInfo. Not needed with the server's `id-token.scope-claims: token-endpoint`.
      idToken: false,
    },
  ],
};

const app = express();
app.use('/auth', ExpressAuth(configuration));
app.get('/', async (request, response) => response.json(await getSession(request, configuration)));
app.listen(Number(PORT));
