import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  answering,
  answeringJson,
  type Behaviour,
  getJson,
  JSON_HEAD,
  outboundToPeers,
  outcomeOf,
  startPeer,
} from '../testing/peer.ts';

const BODY_MAX = 65_536;

test('a JSON document arrives byte for byte; the request names its media types and carries no credentials', async (t) => {
  const peer = await startPeer(t, answeringJson);
  const fetched = await getJson(outboundToPeers(), `${peer.url}?a=1#part`);
  assert.ok(fetched.status === 'ok');
  assert.equal(Buffer.from(fetched.body).toString(), '["ok"]');
  assert.equal(fetched.mediaType, 'application/json');
  assert.deepEqual(peer.requests[0]?.trimEnd().split('\r\n'), [
    'GET /doc?a=1 HTTP/1.1',
    `host: 127.0.0.1:${peer.port}`,
    'accept: application/json',
    'accept-encoding: identity',
    'connection: close',
  ]);
});

test('a fetch within a trace sends traceparent with the span of the fetch (W3C Trace Context §3.2)', async (t) => {
  const peer = await startPeer(t, answeringJson);
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const names: string[] = [];
  const fetched = await getJson(
    outboundToPeers(
      {},
      {
        tracing: {
          span(name, _kind, _attributes, act) {
            names.push(name);
            return act();
          },
          outgoing: () => traceparent,
        },
      },
    ),
    peer.url,
  );
  assert.equal(fetched.status, 'ok');
  assert.ok(peer.requests[0]?.includes(`\r\ntraceparent: ${traceparent}\r\n`));
  assert.deepEqual(names, ['fetch client-keys']);
});

const ACCEPTED: readonly (readonly [string, Behaviour])[] = [
  ['a body of exactly the limit', answering(JSON_HEAD, 'x'.repeat(BODY_MAX))],
  ['charset=UTF-8', answering(['HTTP/1.1 200 OK', 'Content-Type: Application/JSON; Charset="UTF-8"'], '[]')],
  ['the identity coding', answering([...JSON_HEAD, 'Content-Encoding: identity'], '[]')],
  ['chunks', answering([...JSON_HEAD, 'Transfer-Encoding: chunked'], '2\r\n[]\r\n0\r\n\r\n')],
  ['an interim answer first', answering(['HTTP/1.1 103 Early Hints', '', ...JSON_HEAD], '[]')],
];

for (const [words, behaviour] of ACCEPTED) {
  test(`an answer with ${words} is accepted`, async (t) => {
    const peer = await startPeer(t, behaviour);
    assert.equal(await outcomeOf(outboundToPeers(), peer.url), 'ok');
  });
}

/** Writes for as long as it is read from. */
const endless =
  (head: readonly string[], piece: string): Behaviour =>
  (socket) => {
    socket.write(`${head.join('\r\n')}\r\n${head.length > 1 && piece.startsWith('x') ? '\r\n' : ''}`);
    const pump = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', pump);
    pump();
  };

const typed = (type: string): readonly string[] => ['HTTP/1.1 200 OK', `Content-Type: ${type}`];
const bomb = gzipSync(Buffer.alloc(10_000_000));

const REFUSED: readonly (readonly [words: string, reason: string, behaviour: Behaviour])[] = [
  ['204', 'status', answering(['HTTP/1.1 204 No Content'])],
  ['206', 'status', answering(['HTTP/1.1 206 Partial Content', 'Content-Type: application/json'], '[]')],
  ['304', 'status', answering(['HTTP/1.1 304 Not Modified'])],
  ['404', 'status', answering(['HTTP/1.1 404 Not Found', 'Content-Type: application/json'], '[]')],
  ['500', 'status', answering(['HTTP/1.1 500 Internal Server Error'])],
  ['no content type', 'media-type', answering(['HTTP/1.1 200 OK'], '[]')],
  ['text/html', 'media-type', answering(typed('text/html'), '[]')],
  ['another charset', 'media-type', answering(typed('application/json; charset=utf-16'), '[]')],
  ['two types', 'media-type', answering(typed('application/json, text/html'), '[]')],
  ['a gzip bomb', 'encoded', answering([...JSON_HEAD, 'Content-Encoding: gzip'], bomb)],
  [
    'gzip a thousand times',
    'encoded',
    answering([...JSON_HEAD, `Content-Encoding: ${'gzip,'.repeat(1000)}gzip`]),
  ],
  ['a gzip transfer coding', 'encoded', answering([...JSON_HEAD, 'Transfer-Encoding: gzip, chunked'])],
  ['Content-Length 99999999999', 'too-large', answering([...JSON_HEAD, 'Content-Length: 99999999999'])],
  ['one byte too many', 'too-large', answering(JSON_HEAD, 'x'.repeat(BODY_MAX + 1))],
  ['a body without end', 'too-large', endless(JSON_HEAD, 'x'.repeat(10_000))],
  ['headers without end', 'too-large', endless(['HTTP/1.1 200 OK'], `a: ${'b'.repeat(1000)}\r\n`)],
  ['one header of 1 MB', 'too-large', answering([...JSON_HEAD, `a: ${'b'.repeat(1_000_000)}`])],
  ['no HTTP', 'connection', answering(['SSH-2.0-OpenSSH_9.2'])],
  ['two lengths', 'connection', answering([...JSON_HEAD, 'Content-Length: 2', 'Content-Length: 3'], '[]')],
  [
    'both framings',
    'connection',
    answering([...JSON_HEAD, 'Content-Length: 2', 'Transfer-Encoding: chunked']),
  ],
  ['less than it announced', 'connection', answering([...JSON_HEAD, 'Content-Length: 9'], '[]')],
  ['nothing', 'connection', (socket) => socket.end()],
  ['a reset', 'connection', (socket) => socket.resetAndDestroy()],
  [
    'a switch of protocols',
    'connection',
    answering(['HTTP/1.1 101 Switching', 'Upgrade: x', 'Connection: upgrade']),
  ],
];

for (const [words, reason, behaviour] of REFUSED) {
  test(`an answer of ${words} is refused: ${reason} (H-048)`, async (t) => {
    const peer = await startPeer(t, behaviour);
    assert.equal(await outcomeOf(outboundToPeers(), peer.url), reason);
    assert.equal(peer.connections, 1);
  });
}

for (const status of [300, 301, 302, 303, 305, 307, 308]) {
  test(`${status} is not followed, whether it leads inside, to a file or to itself (H-046)`, async (t) => {
    const canary = await startPeer(t, answeringJson);
    for (const location of [canary.url, 'file:///etc/passwd', '/doc']) {
      const peer = await startPeer(t, answering([`HTTP/1.1 ${status} Moved`, `Location: ${location}`]));
      assert.equal(await outcomeOf(outboundToPeers(), peer.url), 'redirected');
      assert.equal(peer.connections, 1);
    }
    assert.equal(canary.connections, 0);
  });
}

const drip =
  (head: string): Behaviour =>
  (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(timer));
  };

const SLOW: readonly (readonly [string, Behaviour])[] = [
  ['never answers', () => undefined],
  ['drips its headers', drip('HTTP/1.1 200 OK\r\na: ')],
  ['drips its body', drip(`${JSON_HEAD.join('\r\n')}\r\n\r\n`)],
  ['stops within its body', (socket) => socket.write(`${JSON_HEAD.join('\r\n')}\r\n\r\n[`)],
];

for (const [words, behaviour] of SLOW) {
  test(`a peer that ${words} is given up at the deadline, and the connection is closed (H-047)`, async (t) => {
    const closed = Promise.withResolvers<void>();
    const peer = await startPeer(t, (socket, own) => {
      socket.on('close', () => closed.resolve());
      behaviour(socket, own);
    });
    const fetched = await getJson(outboundToPeers({ timeoutMs: 200 }), peer.url);
    assert.ok(fetched.status === 'failed' && fetched.reason === 'timeout', JSON.stringify(fetched));
    await closed.promise;
  });
}

test('a refused connection fails with the reason connection', async (t) => {
  const { promise, resolve } = Promise.withResolvers<string>();
  await t.test('a port that is closed again', async (inner) => {
    resolve((await startPeer(inner, answeringJson)).url);
  });
  assert.equal(await outcomeOf(outboundToPeers(), await promise), 'connection');
});
