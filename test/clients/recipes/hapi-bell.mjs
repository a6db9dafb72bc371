import bell from '@hapi/bell';
import hapi from '@hapi/hapi';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, BASE_URL, PORT } = process.env;

const server = hapi.server({ port: Number(PORT), host: 'localhost' });
await server.register(bell);
server.auth.strategy('chancery', 'bell', {
  provider: {
    name: 'chancery',
    protocol: 'oauth2',
    auth: `${ISSUER}/authorize`,
    token: `${ISSUER}/token`,
    pkce: 'S256',
    scope: ['openid', 'profile', 'email'],
    scopeSeparator: ' ',
    async profile(credentials, _parameters, get) {
      credentials.profile = await get(`${ISSUER}/userinfo`);
    },
  },
  password: 'replace this with 32 random characters',
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  location: BASE_URL,
  isSecure: BASE_URL.startsWith('https:'),
});
server.route({
  method: ['GET', 'POST'],
  path: '/login',
  options: { auth: 'chancery', handler: ({ auth }) => auth.credentials.profile },
});
server.route({ method: 'GET', path: '/', handler: () => 'Go to /login' });
await server.start();
