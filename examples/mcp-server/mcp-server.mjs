// An MCP server over streamable HTTP. Its clients get their access tokens from Chancery: each one names this server (`aud`),
// and Chancery is asked about it at each request (RFC 7662).
//   node examples/mcp-server/mcp-server.mjs [--credentials FILE] [--issuer URL] [--port PORT]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { InvalidTokenError, ServerError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import {
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
} from '@modelcontextprotocol/sdk/server/auth/router.js';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const { values: options } = parseArgs({
  options: {
    credentials: { type: 'string', default: 'credentials.json' },
    issuer: { type: 'string', default: 'http://127.0.0.1:8080' },
    port: { type: 'string', default: '9005' },
  },
});
/** The address of this server, which clients send as `resource`. Behind a proxy it is the public address. */
const RESOURCE = new URL(`http://127.0.0.1:${options.port}/mcp`);
const ANSWER_MS = 5000;

/** Printed by `chancery clients create --json`. */
const { client_id, client_secret } = JSON.parse(readFileSync(options.credentials, 'utf8'));
const chancery = await discovered(options.issuer);
/** Notes by the subject of the access token. */
const notes = new Map();

/** The scope value that each tool needs. */
const TOOLS = { list_notes: 'notes:read', add_note: 'notes:write' };

function notesServer(subject) {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  const mine = notes.get(subject) ?? [];
  const shown = () => ({ content: [{ type: 'text', text: mine.join('\n') || 'no notes yet' }] });
  server.registerTool('list_notes', { description: 'Lists your notes' }, shown);
  const adding = { description: 'Adds a note', inputSchema: { text: z.string().max(1000) } };
  server.registerTool('add_note', adding, ({ text }) => {
    mine.push(text);
    notes.set(subject, mine);
    return shown();
  });
  return server;
}

const app = createMcpExpressApp();
// RFC 9728: tells clients which authorisation server and which scope values there are.
app.use(
  mcpAuthMetadataRouter({
    oauthMetadata: chancery,
    resourceServerUrl: RESOURCE,
    scopesSupported: Object.values(TOOLS),
    resourceName: 'Notes',
  }),
);
app.post('/mcp', needsScope, async (request, response) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  const server = notesServer(request.auth.extra.subject);
  response.on('close', () => server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
});
// Without sessions there is no stream to open and none to end.
app.all('/mcp', (_request, response) => response.status(405).set('Allow', 'POST').end());
app.listen(Number(options.port), '127.0.0.1', () => process.stdout.write(`MCP server on ${RESOURCE}\n`));

/** Answers 401 without a valid token, and 403 with the scope value that a tool needs and the token lacks. */
function needsScope(request, response, next) {
  const messages = [request.body].flat();
  const tools = messages
    .filter((message) => message?.method === 'tools/call')
    .map(({ params }) => params?.name);
  const requiredScopes = [...new Set(tools.map((tool) => TOOLS[tool] ?? 'notes:read'))];
  const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(RESOURCE);
  requireBearerAuth({ verifier: { verifyAccessToken }, requiredScopes, resourceMetadataUrl })(
    request,
    response,
    next,
  );
}

async function verifyAccessToken(token) {
  const { active, aud = [], cnf, client_id, scope, exp, sub } = await introspected(token);
  if (!active) throw new InvalidTokenError('The token is not active');
  if (!aud.includes(RESOURCE.href)) throw new InvalidTokenError('The token is for another server');
  // Such a token is bound to a key of its client. This server checks no such proof.
  if (cnf !== undefined) throw new InvalidTokenError('The token is bound to a key');
  return { token, clientId: client_id, scopes: scope.split(' '), expiresAt: exp, extra: { subject: sub } };
}

async function introspected(token) {
  const basic = Buffer.from([client_id, client_secret].map(encodeURIComponent).join(':')).toString('base64');
  const answer = await fetch(chancery.introspection_endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch((cause) => {
    process.stderr.write(`No introspection: ${cause.message}\n`);
    throw new ServerError('Access tokens cannot be checked now');
  });
  if (answer.ok) return await answer.json();
  process.stderr.write(`Introspection: ${answer.status} ${await answer.text()}\n`);
  throw new ServerError('Access tokens cannot be checked now');
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
