// A client of FAPI 2.0 Message Signing: registers itself with a key, signs its request and pushes it, prints the address to open,
// and waits for the signed answer. Its tokens work only with a key that it proves (DPoP).
//   node examples/fapi/sign-in.mjs --initial-access-token TOKEN [--issuer URL] [--port PORT]
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import * as openid from 'openid-client';

const { values: options } = parseArgs({
  options: {
    issuer: { type: 'string', default: 'http://127.0.0.1:8080' },
    'initial-access-token': { type: 'string', default: '' },
    port: { type: 'string', default: '8097' },
  },
});
const server = createServer();
server.listen(Number(options.port), '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${server.address().port}`;
const redirect_uri = `${origin}/callback`;

// A real client keeps its key. The server stores the public one.
const pair = await crypto.subtle.generateKey(
  { name: 'RSA-PSS', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  true,
  ['sign', 'verify'],
);
const key = { key: pair.privateKey, kid: 'bank' };
const { kty, n, e } = await crypto.subtle.exportKey('jwk', pair.publicKey);

const bank = await openid.dynamicClientRegistration(
  new URL(options.issuer),
  {
    client_name: 'Sample bank',
    application_type: 'native',
    redirect_uris: [redirect_uri],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [{ kty, n, e, kid: key.kid, alg: 'PS256', use: 'sig' }] },
  },
  openid.PrivateKeyJwt(key),
  {
    initialAccessToken: options['initial-access-token'],
    // For http on one's own desk.
    execute: options.issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [],
  },
);
openid.useJwtResponseMode(bank);

const DPoP = openid.getDPoPHandle(bank, await openid.randomDPoPKeyPair('ES256'));
const pkceCodeVerifier = openid.randomPKCECodeVerifier();
const expectedState = openid.randomState();
const signed = await openid.buildAuthorizationUrlWithJAR(
  bank,
  {
    redirect_uri,
    scope: 'openid profile',
    state: expectedState,
    response_mode: 'jwt',
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  },
  key,
);
const address = await openid.buildAuthorizationUrlWithPAR(bank, signed.searchParams, { DPoP });
process.stdout.write(`Open ${address.href}\n`);

const [request, response] = await once(server, 'request');
response.end('You can close this page.');
server.close();
const back = new URL(request.url, origin);
const checks = { pkceCodeVerifier, expectedState };
const tokens = await openid.authorizationCodeGrant(bank, back, checks, undefined, { DPoP });
const { sub } = tokens.claims();
const claims = await openid.fetchUserInfo(bank, tokens.access_token, sub, { DPoP });
process.stdout.write(`Signed in: ${claims.sub}, with a token of the type ${tokens.token_type}\n`);
