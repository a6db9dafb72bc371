import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ChanceryError, type Client, type Credentials, createClient } from './client.ts';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Served {
  readonly issuer: string;
  readonly seen: Seen[];
  readonly client: Client;
}

/** Runs a server that a client calls. */
async function served(
  handle: RequestListener,
  credentials: Credentials | undefined,
  use: (served: Served) => Promise<void>,
): Promise<void> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body });
      handle(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/c2`;
  try {
    await use({ issuer, seen, client: createClient({ issuer, credentials }) });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

test('a client sends Basic credentials form-encoded, and each value of a repeated parameter (RFC 6749 §2.3.1, RFC 8707 §2)', async () => {
  await served(
    json(200, {}),
    { client_id: 'https://a:b', client_secret: 'p q+%' },
    async ({ client, seen }) => {
      await client.token({ form: { grant_type: 'client_credentials', resource: ['urn:a', 'urn:b'] } });
      const [request] = seen;
      assert.equal(request?.url, '/c2/token');
      assert.equal(request.headers['authorization'], `Basic ${btoa('https%3A%2F%2Fa%3Ab:p+q%2B%25')}`);
      assert.equal(request.headers['content-type'], 'application/x-www-form-urlencoded');
      assert.equal(request.body, 'grant_type=client_credentials&resource=urn%3Aa&resource=urn%3Ab');
    },
  );
});

test('a public client names itself in each form, and sends no Authorization header (RFC 6749 §3.2.1)', async () => {
  await served(json(200, {}), { client_id: 'app' }, async ({ client, seen }) => {
    await client.revocation({ form: { token: 't' } });
    assert.equal(seen[0]?.body, 'client_id=app&token=t');
    assert.equal(seen[0].headers['authorization'], undefined);
  });
});

test('an identifier in a path is percent-encoded, and a body is JSON', async () => {
  await served(json(200, { client_id: 'a' }), { bearer: 'x' }, async ({ client, seen }) => {
    await client.clientUpdate({ id: 'https://a/b?c', body: { client_name: 'A' } });
    assert.equal(seen[0]?.url, '/c2/clients/https%3A%2F%2Fa%2Fb%3Fc');
    assert.deepEqual(
      [seen[0].method, seen[0].headers['content-type'], seen[0].body],
      ['PUT', 'application/json', '{"client_name":"A"}'],
    );
  });
});

test('a refusal is an error with status, code, description and Retry-After', async () => {
  const refusal = { error: 'invalid_grant', error_description: 'the code has expired' };
  await served(json(429, refusal, { 'retry-after': '7' }), undefined, async ({ client }) => {
    const failure: unknown = await client
      .token({ form: { grant_type: 'a' } })
      .catch((error: unknown) => error);
    assert.ok(failure instanceof ChanceryError);
    assert.deepEqual(
      [failure.status, failure.error, failure.error_description, failure.retryAfter],
      [429, 'invalid_grant', 'the code has expired', 7],
    );
    assert.equal(failure.message, 'token: 429 invalid_grant: the code has expired');
  });
});

test('all clients come page by page, from the cursor of the Link header (RFC 8288)', async () => {
  const handle: RequestListener = (request, response) => {
    const last = request.url?.includes('cursor=Yg') === true;
    const link = last ? {} : { link: '<https://op.example/clients?limit=1&cursor=Yg>; rel="next"' };
    json(200, [{ client_id: last ? 'b' : 'a' }], link)(request, response);
  };
  await served(handle, { bearer: 'x' }, async ({ client, seen }) => {
    const ids = await Array.fromAsync(client.clients(1), ({ client_id }) => client_id);
    assert.deepEqual(ids, ['a', 'b']);
    assert.deepEqual(
      seen.map(({ url }) => url),
      ['/c2/clients?limit=1', '/c2/clients?limit=1&cursor=Yg'],
    );
  });
});

test('H-474 a redirection is an error: the credentials go to no other address', async () => {
  await served(json(200, {}), undefined, async (elsewhere) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const handle: RequestListener = (_, response) => {
        response.writeHead(status, { location: `${elsewhere.issuer}/token` }).end();
      };
      await served(handle, { bearer: 'secret' }, async ({ client }) => {
        await assert.rejects(client.userinfo(), new RegExp(`^ChanceryError: userinfo: ${status}`, 'u'));
        await assert.rejects(client.token({ form: { grant_type: 'a' } }), ChanceryError);
      });
    }
    assert.deepEqual(elsewhere.seen, []);
  });
});

test('H-474 a list that the server breaks off, and an answer that is no JSON, are errors', async () => {
  const broken: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('[{"client_id":"a"}\nINCOMPLETE');
  };
  await served(broken, { bearer: 'x' }, async ({ client }) => {
    await assert.rejects(client.clientList(), /the answer is not JSON/u);
    await assert.rejects(Array.fromAsync(client.clients()), /the answer is not JSON/u);
  });
});

test('a request ends after its timeout', async () => {
  await served(
    () => undefined,
    undefined,
    async ({ issuer }) => {
      await assert.rejects(createClient({ issuer, timeout: 50 }).jwkSet(), { name: 'TimeoutError' });
    },
  );
});

test('a file comes as a stream, octet for octet, and from the place that range names', async () => {
  const octets = Buffer.from([0x53, 0x00, 0xff, 0xc3, 0x28, 0x0a]);
  const file: RequestListener = (_, response) => {
    response.writeHead(206, { 'content-type': 'application/vnd.sqlite3' }).end(octets);
  };
  await served(file, { bearer: 'token' }, async ({ client, seen }) => {
    const body = await client.adminBackupDownload({ id: 'a/b', range: 'bytes=1-' });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    assert.deepEqual(Buffer.concat(chunks), octets);
    assert.equal(seen[0]?.headers['range'], 'bytes=1-');
    assert.equal(seen[0].url, '/c2/admin/v1/backups/a%2Fb/file');
  });
});
