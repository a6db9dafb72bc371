// An API that verifies self-contained access tokens itself, and learns of each revocation within a second.
//   npm run build
//   node examples/resource-server/orders-api.mjs [--credentials FILE] [--issuer URL] [--port PORT]
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
// In a project of your own: 'chancery/resource-server'.
import { resourceServer } from '../../dist/resource-server/resource-server.js';

const { values: options } = parseArgs({
  options: {
    credentials: { type: 'string', default: 'credentials.json' },
    issuer: { type: 'string', default: 'http://127.0.0.1:8080' },
    port: { type: 'string', default: '9005' },
  },
});
/** The name of this API in `resource` and `aud`. Behind a proxy it is the public address. */
const RESOURCE = `http://127.0.0.1:${options.port}`;
const METADATA = '/.well-known/oauth-protected-resource';

/** Printed by `chancery clients create --json`. */
const { client_id, client_secret } = JSON.parse(readFileSync(options.credentials, 'utf8'));
const api = resourceServer({
  issuer: options.issuer,
  audience: RESOURCE,
  credentials: { client_id, client_secret },
  resourceMetadata: RESOURCE + METADATA,
  report: (problem) => process.stderr.write(`${problem}\n`),
});
const orders = [{ id: 1, item: 'sealing wax' }];

const server = createServer(async (request, response) => {
  if (request.url === METADATA)
    return answer(response, 200, {
      resource: RESOURCE,
      authorization_servers: [options.issuer],
      scopes_supported: ['orders:read', 'orders:write'],
      bearer_methods_supported: ['header'],
    });
  if (request.url !== '/orders') return answer(response, 404, {});
  const scope = request.method === 'GET' ? 'orders:read' : 'orders:write';
  const token = await api.node(request, response, { scope });
  // The refusal is sent.
  if (token === undefined) return;
  if (request.method !== 'GET') orders.push({ id: orders.length + 1, item: 'ink', by: token.sub });
  answer(response, request.method === 'GET' ? 200 : 201, orders);
});
server.listen(Number(options.port), '127.0.0.1', () => process.stdout.write(`Orders API on ${RESOURCE}\n`));
process.on('SIGTERM', () => {
  api.close();
  server.close();
});

function answer(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
