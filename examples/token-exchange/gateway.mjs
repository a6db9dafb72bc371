// A gateway in front of another API. It takes requests with access tokens that are for itself, exchanges each token for one that
// the API takes (RFC 8693), and passes the request on. The new token says for which person, and that the gateway acts.
//   node gateway.mjs --issuer http://127.0.0.1:8080 --api http://127.0.0.1:9002 --audience https://ledger.example --port 9001
// The gateway is registered as gateway.json says. CREDENTIALS is a file with its client_id and client_secret.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    issuer: { type: 'string', default: 'http://127.0.0.1:8080' },
    api: { type: 'string', default: 'http://127.0.0.1:9002' },
    audience: { type: 'string', default: 'https://ledger.example' },
    port: { type: 'string', default: '9001' },
    credentials: { type: 'string', default: 'credentials.json' },
  },
});
const { client_id, client_secret } = JSON.parse(readFileSync(options.credentials, 'utf8'));
const basic = Buffer.from([client_id, client_secret].map(encodeURIComponent).join(':')).toString('base64');
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

const metadata = await fetch(`${options.issuer}/.well-known/oauth-authorization-server`);
const { token_endpoint } = await metadata.json();

/** Returns the answer of the token endpoint to a token that came in. */
async function exchange(subject_token) {
  return await fetch(token_endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token,
      subject_token_type: ACCESS_TOKEN,
      audience: options.audience,
    }),
  });
}

const gateway = createServer(async ({ method, url, headers }, response) => {
  const token = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const exchanged = token === undefined ? undefined : await exchange(token);
  const answer = await exchanged?.json();
  if (!exchanged?.ok) {
    // A token that is not for the gateway, has expired or was revoked cannot be exchanged: the caller needs another one.
    const isRefused = exchanged === undefined || answer.error === 'invalid_request';
    response.writeHead(isRefused ? 401 : 403, { 'www-authenticate': 'Bearer error="invalid_token"' });
    return response.end();
  }
  const passed = await fetch(new URL(url, options.api), {
    method,
    headers: { authorization: `Bearer ${answer.access_token}` },
  });
  response.writeHead(passed.status, { 'content-type': passed.headers.get('content-type') ?? 'text/plain' });
  response.end(await passed.text());
});

gateway.listen(Number(options.port), '127.0.0.1', () => {
  process.stdout.write(`gateway at http://127.0.0.1:${gateway.address().port} for ${options.api}\n`);
});
