import express from 'express';
import { auth } from 'express-openid-connect';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, BASE_URL, PORT } = process.env;

const app = express();
app.use(
  auth({
    issuerBaseURL: ISSUER,
    baseURL: BASE_URL,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: 'replace this with 32 random characters',
    authorizationParams: { response_type: 'code', scope: 'openid profile email' },
    idpLogout: true,
    authRequired: false,
  }),
);
app.get('/', async (request, response) => {
  response.json(request.oidc.isAuthenticated() ? await request.oidc.fetchUserInfo() : null);
});
app.listen(Number(PORT));
