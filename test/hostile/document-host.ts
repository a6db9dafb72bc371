import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { CALLBACK } from './sign-in-world.ts';

/** Answers a request for the document at this URL. */
export type Behaviour = (response: ServerResponse, url: string, request: IncomingMessage) => void;

const MEGABYTE = 1_048_576;

/** A Client ID Metadata Document of a public client. */
const documentAt = (client_id: string, changes: object = {}): object => ({
  client_id,
  client_name: 'Paper Clips',
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'none',
  ...changes,
});

/** Sends a document, with changes of its members and headers of its own. */
export const publishing =
  (
    changes: object = {},
    headers: Readonly<Record<string, string>> = {},
    write: (text: string) => string | Uint8Array = (text) => text,
  ): Behaviour =>
  (response, url) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(write(JSON.stringify(documentAt(url, changes))));
  };

const redirecting =
  (status: number, location: string): Behaviour =>
  (response) => {
    response.writeHead(status, { location, 'content-type': 'application/json' }).end('{}');
  };

const withStatus =
  (status: number): Behaviour =>
  (response, url) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(documentAt(url)));
  };

export const GOOD: Readonly<Record<string, Behaviour>> = {
  plain: publishing(),
  'of a type of its own': publishing({}, { 'content-type': 'application/client+json; charset=utf-8' }),
  'with unknown members': publishing({ wishes: ['none'], client_uri: 'https://client.example' }),
  'in pieces': (response, url) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    for (const character of JSON.stringify(documentAt(url))) response.write(character);
    response.end();
  },
  'with Vary: *': publishing({}, { vary: '*' }),
  'for ever': publishing({}, { 'cache-control': `max-age=${'9'.repeat(30)}`, age: '-1' }),
  'with an entity tag of 10,000 letters': publishing({}, { etag: `"${'a'.repeat(10_000)}"` }),
  'with an entity tag that is none': publishing({}, { etag: 'a", x: "b' }),
};

/** Rows whose refusal takes the time limit of a fetch. */
export const MUTE: Readonly<Record<string, Behaviour>> = {
  'that never begins': () => undefined,
  'that drips': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(drip));
  },
  'that is cut off': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{', () => response.destroy());
  },
  'with 500': withStatus(500),
  'with 503': withStatus(503),
};

export const BAD: Readonly<Record<string, readonly [row: string, behaviour: Behaviour]>> = {
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status) => [
      `that redirects with ${status}`,
      ['H-401', redirecting(status, '/reached')] as const,
    ]),
  ),
  'that redirects to itself': ['H-401', redirecting(302, '')],
  'that redirects to a file': ['H-401', redirecting(302, 'file:///etc/passwd')],
  'with another client_id': ['H-402', publishing({ client_id: 'https://client.example/other' })],
  'with a slash more in client_id': [
    'H-402',
    (response, url) => publishing({ client_id: `${url}/` })(response, url, response.req),
  ],
  'with a query in client_id': [
    'H-402',
    (response, url) => publishing({ client_id: `${url}?` })(response, url, response.req),
  ],
  'with client_id in another case': [
    'H-402',
    (response, url) => publishing({ client_id: url.replace('http', 'HTTP') })(response, url, response.req),
  ],
  'without client_id': ['H-402', publishing({ client_id: undefined })],
  'with client_id in an array': [
    'H-402',
    (response, url) => publishing({ client_id: [url] })(response, url, response.req),
  ],
  'with a secret': ['H-402', publishing({ client_secret: 'canary-7Qx-document' })],
  'with the end of a secret': ['H-402', publishing({ client_secret_expires_at: 0 })],
  ...Object.fromEntries(
    ['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'client_secret_other'].map(
      (method) => [
        `with the method ${method}`,
        ['H-402', publishing({ token_endpoint_auth_method: method })] as const,
      ],
    ),
  ),
  'with a symmetric key': [
    'H-402',
    publishing({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] },
    }),
  ],
  'with one member twice': [
    'H-402',
    publishing({}, {}, (text) => text.replace('{', '{"client_name":"Other",')),
  ],
  'with a script as redirection URI': ['H-402', publishing({ redirect_uris: ['javascript:alert(1)//a.b'] })],
  'without redirection URIs': ['H-402', publishing({ redirect_uris: undefined })],
  'that is HTML': ['H-403', publishing({}, { 'content-type': 'text/html' })],
  'in Latin-1': ['H-403', publishing({}, { 'content-type': 'application/json; charset=iso-8859-1' })],
  'that is no JSON': ['H-403', publishing({}, {}, (text) => `${text}x`)],
  'that is an array': ['H-403', publishing({}, {}, (text) => `[${text}]`)],
  'that is empty': ['H-403', publishing({}, {}, () => '')],
  'that nests deeply': [
    'H-403',
    publishing({}, {}, (text) => text.replace('{', `{"a":${'['.repeat(2000)}${']'.repeat(2000)},`)),
  ],
  'of 11 KB': ['H-403', publishing({ wishes: 'x'.repeat(11_000) })],
  'of 10 MB without an announced length': [
    'H-403',
    (response, url) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(JSON.stringify(documentAt(url)));
      for (let sent = 0; sent < 10; sent += 1) response.write(' '.repeat(MEGABYTE));
      response.end();
    },
  ],
  'that is compressed': ['H-403', publishing({}, { 'content-encoding': 'gzip' }, gzipSync)],
  'that is a bomb': [
    'H-403',
    publishing({}, { 'content-encoding': 'gzip' }, () => gzipSync(' '.repeat(20 * MEGABYTE))),
  ],
  ...Object.fromEntries(
    [201, 204, 206, 304, 404, 410].map((status) => [
      `with ${status}`,
      ['H-403', withStatus(status)] as const,
    ]),
  ),
  'with an internal jwks_uri': [
    'H-407',
    publishing({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://10.0.0.1/keys' }),
  ],
  'with an internal sector_identifier_uri': [
    'H-407',
    publishing({ subject_type: 'pairwise', sector_identifier_uri: 'https://169.254.169.254/a' }),
  ],
};

export interface DocumentServer {
  readonly port: number;
  /** The paths that were asked for. */
  readonly asked: string[];
  close(): void;
}

/** Serves documents on every loopback address; the path, decoded and without its query, names the behaviour. */
export async function startDocumentServer(
  behaviours: Readonly<Record<string, Behaviour>>,
): Promise<DocumentServer> {
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const name = decodeURIComponent(path.slice(1).replace(/\?.*$/, ''));
    asked.push(name);
    const url = `http://${request.headers.host}${path}`;
    (behaviours[name] ?? withStatus(404))(response, url, request);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  server.listen(0, '0.0.0.0');
  const port = await listeningPort(server);
  return {
    port: port,
    asked,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
