// An API that verifies self-contained access tokens itself, with the server's JWK set (RFC 9068). It needs no credentials
// at Chancery. It accepts a revoked token until the token expires: give such tokens a short life.
//   node examples/fastify/orders-api.mjs [--issuer URL] [--port PORT]
import { parseArgs } from 'node:util';
import fastify from 'fastify';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';

const { values: options } = parseArgs({
  options: {
    issuer: { type: 'string', default: 'http://127.0.0.1:8080' },
    port: { type: 'string', default: '9002' },
  },
});
/** The name of this API in `resource` and `aud`. Behind a proxy it is the public address. */
const RESOURCE = `http://127.0.0.1:${options.port}`;
const RESOURCE_METADATA = `${RESOURCE}/.well-known/oauth-protected-resource`;

/** Fetched at the first token, and again when a token names an unknown key. */
const keys = createRemoteJWKSet(new URL((await discovered(options.issuer)).jwks_uri));
const orders = [{ id: 1, item: 'sealing wax' }];

const api = fastify();
api.decorateRequest('token', null);
api.get('/.well-known/oauth-protected-resource', () => ({
  resource: RESOURCE,
  authorization_servers: [options.issuer],
  scopes_supported: ['orders:read', 'orders:write'],
  bearer_methods_supported: ['header'],
}));
api.get('/orders', { onRequest: needsScope('orders:read') }, () => orders);
api.post('/orders', { onRequest: needsScope('orders:write') }, (request, reply) => {
  const order = { id: orders.length + 1, item: request.body?.item, by: request.token.sub };
  orders.push(order);
  return reply.code(201).send(order);
});
await api.listen({ port: Number(options.port), host: '127.0.0.1' });
process.stdout.write(`Orders API on ${RESOURCE}\n`);

/** Lets a request pass if its access token is valid, for this API, and has the scope value. */
function needsScope(scope) {
  return async (request, reply) => {
    const credentials = request.headers.authorization;
    if (credentials === undefined) return refuse(reply, 401);
    const token = await verified(/^Bearer +(\S+)$/i.exec(credentials)?.[1] ?? '');
    if (token === undefined) return refuse(reply, 401, { error: 'invalid_token' });
    if (!(token.scope ?? '').split(' ').includes(scope))
      return refuse(reply, 403, { error: 'insufficient_scope', scope });
    request.token = token;
  };
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
    if (keysAreMissing(failure)) throw Object.assign(failure, { statusCode: 503 });
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
function refuse(reply, status, problem = {}) {
  const parameters = Object.entries({ ...problem, resource_metadata: RESOURCE_METADATA });
  const challenge = parameters.map(([name, value]) => `${name}="${value}"`).join(', ');
  return reply.code(status).header('WWW-Authenticate', `Bearer ${challenge}`).send(problem);
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
