// An API that verifies self-contained access tokens itself for reads, and asks Chancery about the token before each write:
// reads are fast, and a revoked token changes nothing.
//   node examples/hono/orders-api.mjs [--credentials FILE] [--issuer URL] [--port PORT]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';

const { values: options } = parseArgs({
  options: {
    credentials: { type: 'string', default: 'credentials.json' },
    issuer: { type: 'string', default: 'http://127.0.0.1:8080' },
    port: { type: 'string', default: '9003' },
  },
});
/** The name of this API in `resource` and `aud`. Behind a proxy it is the public address. */
const RESOURCE = `http://127.0.0.1:${options.port}`;
const RESOURCE_METADATA = `${RESOURCE}/.well-known/oauth-protected-resource`;
const ANSWER_MS = 5000;

/** Printed by `chancery clients create --json`. */
const { client_id, client_secret } = JSON.parse(readFileSync(options.credentials, 'utf8'));
const { jwks_uri, introspection_endpoint } = await discovered(options.issuer);
/** Fetched at the first token, and again when a token names an unknown key. */
const keys = createRemoteJWKSet(new URL(jwks_uri));
const orders = [{ id: 1, item: 'sealing wax' }];

const api = new Hono();
api.get('/.well-known/oauth-protected-resource', (context) =>
  context.json({
    resource: RESOURCE,
    authorization_servers: [options.issuer],
    scopes_supported: ['orders:read', 'orders:write'],
    bearer_methods_supported: ['header'],
  }),
);
api.get('/orders', needsScope('orders:read'), (context) => context.json(orders));
api.post('/orders', needsScope('orders:write'), needsLiveToken, async (context) => {
  const { item } = await context.req.json();
  const order = { id: orders.length + 1, item, by: context.get('claims').sub };
  orders.push(order);
  return context.json(order, 201);
});
serve({ fetch: api.fetch, port: Number(options.port), hostname: '127.0.0.1' }, () =>
  process.stdout.write(`Orders API on ${RESOURCE}\n`),
);

/** Lets a request pass if its access token is valid, for this API, and has the scope value. */
function needsScope(scope) {
  return async (context, next) => {
    const credentials = context.req.header('authorization');
    if (credentials === undefined) return refused(context, 401);
    const token = /^Bearer +(\S+)$/i.exec(credentials)?.[1] ?? '';
    const claims = await verified(token);
    if (claims === undefined) return refused(context, 401, { error: 'invalid_token' });
    if (!(claims.scope ?? '').split(' ').includes(scope))
      return refused(context, 403, { error: 'insufficient_scope', scope });
    context.set('token', token);
    context.set('claims', claims);
    await next();
  };
}

/** Asks whether the token was revoked since it was issued (RFC 7662). */
async function needsLiveToken(context, next) {
  const basic = Buffer.from([client_id, client_secret].map(encodeURIComponent).join(':')).toString('base64');
  const answer = await fetch(introspection_endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ token: context.get('token'), token_type_hint: 'access_token' }),
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(() => undefined);
  if (!answer?.ok)
    throw new HTTPException(503, { message: `introspection: ${answer?.status ?? 'no answer'}` });
  const { active } = await answer.json();
  if (!active) return refused(context, 401, { error: 'invalid_token' });
  await next();
}

/**
 * Returns the claims of a valid token, and undefined for any other. RFC 9068 §4: the type, the issuer, the audience, the
 * signature and the time. `cnf` binds a token to a key of its client: this API checks no such proof, so it refuses these tokens.
 */
async function verified(token) {
  const rules = { issuer: options.issuer, audience: RESOURCE, typ: 'at+jwt', requiredClaims: ['exp', 'sub'] };
  try {
    const { payload } = await jwtVerify(token, keys, rules);
    return payload.cnf === undefined ? payload : undefined;
  } catch (failure) {
    if (keysAreMissing(failure)) throw new HTTPException(503, { message: failure.message });
    return undefined;
  }
}

/** Tells trouble with the key set, where the token may be good, from a token that is not valid. */
function keysAreMissing(failure) {
  const { JOSEError, JWKSTimeout } = errors;
  return (
    !(failure instanceof JOSEError) || failure.constructor === JOSEError || failure instanceof JWKSTimeout
  );
}

/** RFC 6750 §3: no error code for a request without a token. RFC 9728 §5.1: `resource_metadata`. */
function refused(context, status, problem = {}) {
  const parameters = Object.entries({ ...problem, resource_metadata: RESOURCE_METADATA });
  const challenge = parameters.map(([name, value]) => `${name}="${value}"`).join(', ');
  return context.json(problem, status, { 'WWW-Authenticate': `Bearer ${challenge}` });
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
