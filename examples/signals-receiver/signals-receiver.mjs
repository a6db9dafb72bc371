// Polls a Chancery server for the security events of a client, verifies them and prints them:
//   CLIENT_SECRET=… node signals-receiver.mjs --issuer https://op.example.com --client-id … [--once]
// The client needs the grant client_credentials and the scope value ssf.manage.
import { createPublicKey, verify } from 'node:crypto';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    issuer: { type: 'string', default: 'http://localhost:8090' },
    'client-id': { type: 'string', default: '' },
    once: { type: 'boolean', default: false },
  },
});
const { issuer, 'client-id': client } = values;
const secret = process.env.CLIENT_SECRET ?? '';

const print = (line) => process.stdout.write(`${line}\n`);

async function json(url, options) {
  const answer = await fetch(url, options);
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}: ${await answer.text()}`);
  return await answer.json();
}

let token = { value: '', until: 0 };
/** Returns an access token of the client for itself. */
async function accessToken() {
  if (Date.now() < token.until) return token.value;
  const basic = Buffer.from(`${encodeURIComponent(client)}:${encodeURIComponent(secret)}`).toString('base64');
  const { access_token, expires_in } = await json(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'ssf.manage' }),
  });
  token = { value: access_token, until: Date.now() + expires_in * 500 };
  return access_token;
}

const post = async (url, body) =>
  await json(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${await accessToken()}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** The metadata stands between the host and the path of the issuer. */
const { origin, pathname } = new URL(issuer);
const path = pathname === '/' ? '' : pathname;
const metadata = await json(`${origin}/.well-known/ssf-configuration${path}`);
if (metadata.issuer !== issuer) throw new Error(`the metadata is about ${metadata.issuer}`);

let keys = [];
async function keyOf(kid) {
  if (!keys.some((key) => key.kid === kid)) keys = (await json(metadata.jwks_uri)).keys;
  return keys.find((key) => key.kid === kid);
}

const decoded = (part) => JSON.parse(Buffer.from(part, 'base64url').toString());

/** Returns the claims of a security event token for this client. Throws for every other text (RFC 8417 §4, Shared Signals §4.1). */
async function verified(jwt) {
  const [header, payload, signature] = jwt.split('.');
  const { typ, alg, kid } = decoded(header);
  if (typ !== 'secevent+jwt' || alg !== 'RS256') throw new Error('not a security event token');
  const jwk = await keyOf(kid);
  if (jwk === undefined) throw new Error('the key is not known');
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const signed = Buffer.from(`${header}.${payload}`);
  if (!verify('sha256', signed, key, Buffer.from(signature, 'base64url')))
    throw new Error('the signature is wrong');
  const claims = decoded(payload);
  if (claims.iss !== issuer || claims.aud !== client) throw new Error('the event is for another receiver');
  if ('sub' in claims || 'exp' in claims) throw new Error('the token is no event');
  return claims;
}

/** The stream of an earlier run, or a new one. Both poll. */
async function streamOf() {
  const all = await json(metadata.configuration_endpoint, {
    headers: { authorization: `Bearer ${await accessToken()}` },
  });
  return (
    all.find(({ delivery }) => delivery.method === 'urn:ietf:rfc:8936') ??
    (await post(metadata.configuration_endpoint, { description: 'signals-receiver' }))
  );
}

const stream = await streamOf();
print(`stream ${stream.stream_id}`);
let ack = [];
let setErrs = {};
do {
  // The answers to the last events go with the next poll, so that a crash before this line loses none.
  const { sets } = await post(stream.delivery.endpoint_url, { ack, setErrs, returnImmediately: values.once });
  ack = [];
  setErrs = {};
  for (const [jti, jwt] of Object.entries(sets)) {
    try {
      const { sub_id, events } = await verified(jwt);
      // Here an application ends its own sessions. An event may come twice, so this must do no harm.
      print(JSON.stringify({ jti, sub_id, events }));
      ack.push(jti);
    } catch (refusal) {
      setErrs[jti] = { err: 'invalid_request', description: refusal.message };
    }
  }
} while (!values.once || ack.length > 0 || Object.keys(setErrs).length > 0);
