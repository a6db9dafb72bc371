// An API that asks Chancery about each access token (RFC 7662), so that it refuses a revoked token at once.
//   node examples/express/orders-api.mjs [--credentials FILE] [--issuer URL] [--port PORT]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import express from 'express';

const { values: options } = parseArgs({
  options: {
    credentials: { type: 'string', default: 'credentials.json' },
    issuer: { type: 'string', default: 'http://127.0.0.1:8080' },
    port: { type: 'string', default: '9001' },
  },
});
/** The name of this API in `resource` and `aud`. Behind a proxy it is the public address. */
const RESOURCE = `http://127.0.0.1:${options.port}`;
const RESOURCE_METADATA = `${RESOURCE}/.well-known/oauth-protected-resource`;
const ANSWER_MS = 5000;

/** Printed by `chancery clients create --json`. */
const { client_id, client_secret } = JSON.parse(readFileSync(options.credentials, 'utf8'));
const { introspection_endpoint } = await discovered(options.issuer);
const orders = [{ id: 1, item: 'sealing wax' }];

const api = express();
api.get('/.well-known/oauth-protected-resource', (_request, response) => {
  response.json({
    resource: RESOURCE,
    authorization_servers: [options.issuer],
    scopes_supported: ['orders:read', 'orders:write'],
    bearer_methods_supported: ['header'],
  });
});
api.get('/orders', needsScope('orders:read'), (_request, response) => response.json(orders));
api.post('/orders', needsScope('orders:write'), express.json(), (request, response) => {
  const order = { id: orders.length + 1, item: request.body?.item, by: response.locals.token.sub };
  orders.push(order);
  response.status(201).json(order);
});
api.use((failure, _request, response, _next) => {
  process.stderr.write(`${failure.message}\n`);
  response.status(failure.status ?? 500).end();
});
api.listen(Number(options.port), '127.0.0.1', () => process.stdout.write(`Orders API on ${RESOURCE}\n`));

/** Lets a request pass if its access token is active, for this API, and has the scope value. */
function needsScope(scope) {
  return async (request, response, next) => {
    const credentials = request.headers.authorization;
    if (credentials === undefined) return refuse(response, 401);
    const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(credentials)?.[1];
    if (token === undefined) return refuse(response, 401, { error: 'invalid_token' });
    const found = await introspected(token);
    if (!isForThisApi(found)) return refuse(response, 401, { error: 'invalid_token' });
    if (!found.scope.split(' ').includes(scope))
      return refuse(response, 403, { error: 'insufficient_scope', scope });
    response.locals.token = found;
    next();
  };
}

/** `cnf` binds a token to a key of its client. This API checks no such proof, so it refuses these tokens. */
function isForThisApi({ active, aud = [], cnf }) {
  return active === true && aud.includes(RESOURCE) && cnf === undefined;
}

/** RFC 6750 §3: no error code for a request without a token. RFC 9728 §5.1: `resource_metadata`. */
function refuse(response, status, problem = {}) {
  const parameters = Object.entries({ ...problem, resource_metadata: RESOURCE_METADATA });
  const challenge = parameters.map(([name, value]) => `${name}="${value}"`).join(', ');
  response.status(status).set('WWW-Authenticate', `Bearer ${challenge}`).json(problem);
}

/** Throws if Chancery gives no answer. This API then answers 503, and no request passes. */
async function introspected(token) {
  const basic = Buffer.from([client_id, client_secret].map(encodeURIComponent).join(':')).toString('base64');
  const answer = await fetch(introspection_endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch((cause) => {
    throw Object.assign(new Error(`no introspection: ${cause.message}`), { status: 503 });
  });
  if (!answer.ok)
    throw Object.assign(new Error(`introspection: ${answer.status} ${await answer.text()}`), { status: 503 });
  return await answer.json();
}

async function discovered(issuer) {
  const answer = await fetch(`${issuer}/.well-known/oauth-authorization-server`).catch(({ cause }) => {
    process.stderr.write(`No Chancery at ${issuer}: ${cause.message}\n`);
    process.exit(1);
  });
  const metadata = await answer.json();
  if (metadata.issuer !== issuer) throw new Error(`${issuer} calls itself ${metadata.issuer}`);
  return metadata;
}
