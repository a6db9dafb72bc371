// Asks a person for one payment (RFC 9396): pushes the request, prints the address to open, and waits for the browser.
//   node examples/payment/pay.mjs --credentials FILE [--issuer URL] [--amount 123.50] [--to 'Merchant A'] [--port PORT]
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import * as openid from 'openid-client';

const { values: options } = parseArgs({
  options: {
    issuer: { type: 'string', default: 'http://127.0.0.1:8080' },
    credentials: { type: 'string', default: 'credentials.json' },
    amount: { type: 'string', default: '123.50' },
    to: { type: 'string', default: 'Merchant A' },
    port: { type: 'string', default: '8095' },
  },
});
const { client_id, client_secret } = JSON.parse(readFileSync(options.credentials, 'utf8'));
const shop = await openid.discovery(new URL(options.issuer), client_id, client_secret, undefined, {
  // For http on one's own desk.
  execute: options.issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [],
});

const server = createServer();
server.listen(Number(options.port), '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${server.address().port}`;

const payment = {
  type: 'payment_initiation',
  actions: ['initiate', 'status'],
  instructedAmount: { currency: 'EUR', amount: options.amount },
  creditorName: options.to,
};
const pkceCodeVerifier = openid.randomPKCECodeVerifier();
const address = await openid.buildAuthorizationUrlWithPAR(shop, {
  redirect_uri: `${origin}/callback`,
  authorization_details: JSON.stringify([payment]),
  code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
  code_challenge_method: 'S256',
});
process.stdout.write(`Open ${address.href}\n`);

const [request, response] = await once(server, 'request');
response.end('You can close this page.');
server.close();
try {
  const back = new URL(request.url, origin);
  const tokens = await openid.authorizationCodeGrant(shop, back, { pkceCodeVerifier });
  // The answer counts, and not the request: the bank may have added members, or the person may have agreed to less.
  process.stdout.write(`Permitted: ${JSON.stringify(tokens.authorization_details)}\n`);
} catch (failure) {
  process.stdout.write(`Not permitted: ${failure.error ?? failure.message}\n`);
  process.exitCode = 1;
}
