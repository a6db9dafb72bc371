// A till that asks a customer for a sign-in (OpenID Connect CIBA). The customer answers at ISSUER/account/requests, on a phone of their own.
//   node till.mjs --issuer http://127.0.0.1:8080 --customer ada --message "Order 4711"
// The till is registered as till.json says. CREDENTIALS is a file with its client_id and client_secret.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    issuer: { type: 'string', default: 'http://127.0.0.1:8080' },
    customer: { type: 'string', default: 'ada' },
    message: { type: 'string', default: 'Order 4711' },
    credentials: { type: 'string', default: 'credentials.json' },
  },
});
const { client_id, client_secret } = JSON.parse(readFileSync(options.credentials, 'utf8'));
const basic = Buffer.from([client_id, client_secret].map(encodeURIComponent).join(':')).toString('base64');

const found = await fetch(`${options.issuer}/.well-known/openid-configuration`);
const { backchannel_authentication_endpoint, token_endpoint, userinfo_endpoint } = await found.json();

async function post(url, form) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams(form),
  });
  return await answer.json();
}

const asked = await post(backchannel_authentication_endpoint, {
  scope: 'openid profile',
  login_hint: options.customer,
  binding_message: options.message,
});
if (asked.error !== undefined) throw new Error(`${asked.error}: ${asked.error_description}`);
process.stdout.write(`"${options.message}": please answer at ${options.issuer}/account/requests\n`);

let { interval } = asked;
for (;;) {
  await sleep(interval * 1000);
  const tokens = await post(token_endpoint, {
    grant_type: 'urn:openid:params:grant-type:ciba',
    auth_req_id: asked.auth_req_id,
  });
  if (tokens.error === 'authorization_pending') continue;
  if (tokens.error === 'slow_down') {
    interval += 5;
    continue;
  }
  if (tokens.error !== undefined) {
    process.stdout.write(`no sign-in: ${tokens.error}\n`);
    process.exitCode = 1;
    break;
  }
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const customer = await (await fetch(userinfo_endpoint, { headers })).json();
  process.stdout.write(`signed in: ${customer.sub}\n`);
  break;
}
