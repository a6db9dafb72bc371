// Calls an API and knows only its address (RFC 9728). The API's refusal leads to the API's metadata, and these lead to the
// authorisation server, which gives an access token for this API.
//   node examples/caller/call.mjs URL [--scope SCOPE] [--order ITEM] [--credentials FILE]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    credentials: { type: 'string', default: 'credentials.json' },
    scope: { type: 'string', default: 'orders:read orders:write' },
    order: { type: 'string' },
  },
});
const [url = 'http://127.0.0.1:9001/orders'] = positionals;
const { client_id, client_secret } = JSON.parse(readFileSync(options.credentials, 'utf8'));

const refusal = await call({});
const metadataUrl = /resource_metadata="([^"]+)"/.exec(refusal.headers.get('www-authenticate') ?? '')?.[1];
if (metadataUrl === undefined) throw new Error(`${url} does not say where its metadata is`);
const { resource, authorization_servers } = await json(metadataUrl);
// RFC 9728 §3.3: otherwise an API could ask for a token that another API accepts.
if (new URL(url).origin !== new URL(resource).origin) throw new Error(`${url} calls itself ${resource}`);

const [issuer] = authorization_servers;
const { token_endpoint } = await json(`${issuer}/.well-known/oauth-authorization-server`);
const basic = Buffer.from([client_id, client_secret].map(encodeURIComponent).join(':')).toString('base64');
const { access_token, scope } = await json(token_endpoint, {
  method: 'POST',
  headers: { authorization: `Basic ${basic}` },
  body: new URLSearchParams({ grant_type: 'client_credentials', scope: options.scope, resource }),
});
process.stdout.write(`token of ${issuer} for ${resource} with ${scope}\n`);
await call({ authorization: `Bearer ${access_token}` });

/** Reads the orders, or places one, and prints the answer. */
async function call(headers) {
  const order = options.order === undefined ? undefined : JSON.stringify({ item: options.order });
  const placing = {
    method: 'POST',
    body: order,
    headers: { ...headers, 'content-type': 'application/json' },
  };
  const answer = await fetch(url, order === undefined ? { headers } : placing);
  const challenge = answer.headers.get('www-authenticate') ?? '';
  process.stdout.write(`${answer.status} ${challenge || (await answer.text()).trim()}\n`);
  return answer;
}

async function json(address, init) {
  const answer = await fetch(address, init);
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`);
  return await answer.json();
}
