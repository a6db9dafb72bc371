import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  answering,
  answeringJson,
  type Behaviour,
  getJson,
  outboundToPeers,
  outcomeOf,
  startPeer,
  TEST_CAUSE,
} from '../testing/peer.ts';
import { FailureMemory } from './fetch-failure.ts';

const ONE_PARTY = { ...TEST_CAUSE, party: 'https://rp.example.com' };

const toLoopback = { resolve: async () => ['127.0.0.1'] };

/** Holds requests back until they are released. */
function gate(): { readonly behaviour: Behaviour; readonly held: (() => void)[] } {
  const held: (() => void)[] = [];
  return {
    held,
    behaviour: (socket: Socket, peer) => held.push(() => answeringJson(socket, peer)),
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

test('a hundred parallel fetches of one document make one connection, and all get it (H-152)', async (t) => {
  const peer = await startPeer(t, answeringJson);
  const outbound = outboundToPeers();
  const fetched = await Promise.all(Array.from({ length: 100 }, () => getJson(outbound, peer.url)));
  assert.equal(fetched.filter(({ status }) => status === 'ok').length, 100);
  assert.equal(peer.connections, 1);
});

test('a later fetch of a document is a new request: successes are not cached', async (t) => {
  const peer = await startPeer(t, answeringJson);
  const outbound = outboundToPeers();
  for (let turn = 0; turn < 3; turn++) assert.equal(await outcomeOf(outbound, peer.url), 'ok');
  assert.equal(peer.connections, 3);
});

test('fetches that expect different types do not share an answer', async (t) => {
  const peer = await startPeer(t, answeringJson);
  const outbound = outboundToPeers();
  const [json, html] = await Promise.all([
    getJson(outbound, peer.url),
    outbound.get(peer.url, { mediaTypes: ['text/html'] }, TEST_CAUSE),
  ]);
  assert.equal(json.status, 'ok');
  assert.ok(html.status === 'failed' && html.reason === 'media-type');
});

test('at most two fetches run per host; others of that host wait, and other hosts do not (H-152)', async (t) => {
  const { behaviour, held } = gate();
  const peer = await startPeer(t, behaviour);
  const quick = await startPeer(t, answeringJson);
  const outbound = outboundToPeers({}, toLoopback);
  const four = [1, 2, 3, 4].map((n) => outcomeOf(outbound, `http://slow.example.com:${peer.port}/${n}`));
  await until(() => held.length === 2);
  assert.equal(await outcomeOf(outbound, `http://quick.example.com:${quick.port}/`), 'ok');
  assert.equal(peer.connections, 2);
  held[0]?.();
  await until(() => held.length === 3);
  held[1]?.();
  held[2]?.();
  await until(() => held.length === 4);
  held[3]?.();
  assert.deepEqual(await Promise.all(four), ['ok', 'ok', 'ok', 'ok']);
});

test('at most sixteen fetches of one party run in total; one that waits too long fails with busy and may be retried at once (H-230)', async (t) => {
  const { behaviour, held } = gate();
  const peer = await startPeer(t, behaviour);
  const outbound = outboundToPeers({ timeoutMs: 3000 }, toLoopback);
  const urls = Array.from({ length: 17 }, (_, n) => `http://h${n}.example.com:${peer.port}/`);
  const fetching = urls.map((url) => outcomeOf(outbound, url, ONE_PARTY));
  assert.equal(await fetching[16], 'busy');
  assert.equal(peer.connections, 16);
  for (const release of held) release();
  assert.deepEqual(new Set(await Promise.all(fetching.slice(0, 16))), new Set(['ok']));
  const again = outcomeOf(outbound, urls[16] ?? '', ONE_PARTY);
  await until(() => held.length === 17);
  held[16]?.();
  assert.equal(await again, 'ok');
});

test('the next fetch is refused at once while 64 wait', async (t) => {
  const { behaviour } = gate();
  const peer = await startPeer(t, behaviour);
  const outbound = outboundToPeers({ timeoutMs: 500, fetchesPerHost: 1 }, toLoopback);
  const order: string[] = [];
  const fetching = Array.from({ length: 66 }, async (_, n) => {
    order.push(`${n} ${await outcomeOf(outbound, `http://one.example.com:${peer.port}/${n}`)}`);
  });
  await Promise.all(fetching);
  assert.equal(order[0], '65 busy');
  assert.equal(order.filter((line) => line.endsWith('busy')).length, 65);
  assert.equal(peer.connections, 1);
});

test('every kind of end gives the slot back', async (t) => {
  const broken = await startPeer(t, (socket) => socket.resetAndDestroy());
  const moved = await startPeer(t, answering(['HTTP/1.1 302 Found', 'Location: /']));
  const outbound = outboundToPeers({ fetches: 1, fetchesPerHost: 1, negativeCacheMs: 0 });
  for (let turn = 0; turn < 5; turn++) {
    assert.equal(await outcomeOf(outbound, broken.url), 'connection');
    assert.equal(await outcomeOf(outbound, moved.url), 'redirected');
  }
});

test('a failure is remembered for the configured time and reported as recently-failed (H-227)', async (t) => {
  let now = 0;
  const peer = await startPeer(t, answering(['HTTP/1.1 500 Oops']));
  const outbound = outboundToPeers({ negativeCacheMs: 60_000 }, { clock: { milliseconds: () => now } });
  assert.equal(await outcomeOf(outbound, peer.url), 'status');
  now = 59_999;
  const remembered = {
    status: 'failed',
    reason: 'recently-failed',
    detail: 'status: status 500',
    retryAfter: 1,
  };
  assert.deepEqual(await getJson(outbound, peer.url), remembered);
  assert.equal(peer.connections, 1);
  now = 60_000;
  assert.equal(await outcomeOf(outbound, peer.url), 'status');
  assert.equal(peer.connections, 2);
});

test('the negative cache is bounded and evicts the oldest failure first (H-230)', () => {
  const memory = new FailureMemory({ clock: { milliseconds: () => 0 }, lifetimeMs: 1, entriesMax: 2 });
  const problem = { reason: 'status', detail: 'status 500' } as const;
  for (const key of ['a', 'b', 'a', 'c']) memory.remember(key, problem);
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => memory.find(key) !== undefined),
    [true, false, true],
  );
});

test('decision 50: a fetch that another network could not make for want of a slot is made again for this one', async (t) => {
  const mute = await startPeer(t, () => undefined);
  const quick = await startPeer(t, answeringJson);
  const outbound = outboundToPeers({ timeoutMs: 2000, fetches: 1 }, toLoopback);
  const attacker = { ...TEST_CAUSE, remoteAddress: '198.51.100.1', party: 'one' };
  const held = outcomeOf(outbound, `http://mute.example.com:${mute.port}/`, attacker);
  const wanted = `http://quick.example.com:${quick.port}/`;
  const [first, shared] = [outcomeOf(outbound, wanted, attacker), outcomeOf(outbound, wanted)];
  assert.equal(await first, 'busy');
  assert.equal(await shared, 'ok', 'the mute fetch gave way to the other network');
  assert.equal(await held, 'gave-way');
  assert.equal(quick.connections, 1);
});

test('a passing failure names the seconds until a retry, and a wrong document does not', async (t) => {
  const gone = await startPeer(t, answering(['HTTP/1.1 404 Not Found']));
  const broken = await startPeer(t, answering(['HTTP/1.1 502 Bad Gateway']));
  const reset = await startPeer(t, (socket) => socket.resetAndDestroy());
  const outbound = outboundToPeers();
  const retries: unknown[] = [];
  for (const { url } of [gone, broken, reset, reset]) {
    const fetched = await getJson(outbound, url);
    retries.push('retryAfter' in fetched ? fetched.retryAfter : undefined);
  }
  assert.deepEqual(retries, [undefined, 60, 60, 60]);
});
