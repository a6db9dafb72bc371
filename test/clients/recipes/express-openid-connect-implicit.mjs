import express from 'express';
import { auth } from 'express-openid-connect';

const { ISSUER, CLIENT_ID, BASE_URL, PORT } = process.env;

// The defaults: an ID token alone, by form_post. BASE_URL has https and no loopback host, for that is the implicit grant.
const app = express();
app.use(
  auth({
    issuerBaseURL: ISSUER,
    baseURL: BASE_URL,
    clientID: CLIENT_ID,
    secret: 'replace this with 32 random characters',
    idpLogout: true,
    authRequired: false,
  }),
);
app.get('/', (request, response) => response.json(request.oidc.user ?? null));
app.listen(Number(PORT));
