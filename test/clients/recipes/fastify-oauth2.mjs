import oauth2 from '@fastify/oauth2';
import fastify from 'fastify';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, BASE_URL, PORT } = process.env;

const app = fastify();
app.register(oauth2, {
  name: 'chancery',
  scope: ['openid', 'profile', 'email'],
  credentials: { client: { id: CLIENT_ID, secret: CLIENT_SECRET } },
  discovery: { issuer: ISSUER },
  startRedirectPath: '/login',
  callbackUri: `${BASE_URL}/callback`,
});
app.get('/callback', async (request) => {
  const { token } = await app.chancery.getAccessTokenFromAuthorizationCodeFlow(request);
  return await app.chancery.userinfo(token);
});
app.get('/', () => 'Go to /login');
await app.listen({ port: Number(PORT) });
