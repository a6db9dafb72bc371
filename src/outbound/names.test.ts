import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { test } from 'node:test';
import { answeringJson, getJson, outboundToPeers, outcomeOf, startPeer } from '../testing/peer.ts';
import type { Dial } from './connection.ts';

/** A peer on the loopback network that stands for the public host 8.8.8.8, and everything dialled. */
function publicHostAt(port: number): { readonly dial: Dial; readonly dialled: string[] } {
  const dialled: string[] = [];
  const dial: Dial = (addresses) => {
    dialled.push(...addresses);
    const socket = createConnection({ host: '127.0.0.1', port });
    Object.defineProperty(socket, 'remoteAddress', { value: addresses[0] });
    return socket;
  };
  return { dial, dialled };
}

test('a fetch looks its name up once and dials only the addresses that it checked (H-045)', async (t) => {
  const peer = await startPeer(t, answeringJson);
  const { dial, dialled } = publicHostAt(peer.port);
  const answers = [['8.8.8.8'], ['127.0.0.1'], ['127.0.0.1']];
  let lookups = 0;
  const resolve = async () => answers[lookups++] ?? [];
  const outbound = outboundToPeers({ allowNetworks: [], negativeCacheMs: 0 }, { dial, resolve });
  assert.equal(await outcomeOf(outbound, 'http://rebinding.example.com/'), 'ok');
  assert.equal(lookups, 1);
  assert.equal(await outcomeOf(outbound, 'http://rebinding.example.com/'), 'forbidden-address');
  assert.deepEqual(dialled, ['8.8.8.8']);
  assert.equal(peer.connections, 1);
});

test('only the public addresses of a mixed answer are dialled (H-044)', async (t) => {
  const peer = await startPeer(t, answeringJson);
  const { dial, dialled } = publicHostAt(peer.port);
  const resolve = async () => ['127.0.0.1', '8.8.8.8', '::1', '10.0.0.1', '2606:4700::1111'];
  const outbound = outboundToPeers({ allowNetworks: [] }, { dial, resolve });
  assert.equal(await outcomeOf(outbound, 'http://mixed.example.com/'), 'ok');
  assert.deepEqual(dialled, ['8.8.8.8', '2606:4700::1111']);
});

test('at most eight addresses of an answer of 500 are dialled (H-045)', async (t) => {
  const peer = await startPeer(t, answeringJson);
  const { dial, dialled } = publicHostAt(peer.port);
  const resolve = async () => Array.from({ length: 500 }, (_, index) => `8.8.${index % 250}.8`);
  assert.equal(await outcomeOf(outboundToPeers({}, { dial, resolve }), 'http://many.example.com/'), 'ok');
  assert.equal(dialled.length, 8);
});

test('a connection to a private address is closed before a byte is sent, whatever was dialled (H-045, H-406)', async (t) => {
  const canary = await startPeer(t, answeringJson);
  const ended = Promise.withResolvers<unknown>();
  const dial: Dial = () => {
    const socket = createConnection({ host: '127.0.0.1', port: canary.port });
    ended.resolve(once(socket, 'close'));
    return socket;
  };
  const outbound = outboundToPeers(
    { allowNetworks: [], negativeCacheMs: 0 },
    { dial, resolve: async () => ['8.8.8.8'] },
  );
  for (const scheme of ['http', 'https']) {
    assert.equal(await outcomeOf(outbound, `${scheme}://rerouted.example.com/`), 'forbidden-address');
  }
  await ended.promise;
  assert.equal(canary.bytes, 0);
});

test('the next address is tried if the first refuses the connection', async (t) => {
  const peer = await startPeer(t, answeringJson);
  // The peer listens on 127.0.0.1 only; 127.0.0.2 refuses at once.
  const resolve = async () => ['127.0.0.2', '127.0.0.1'];
  const url = `http://two.example.com:${peer.port}/`;
  assert.equal(await outcomeOf(outboundToPeers({}, { resolve }), url), 'ok');
});

test('a name without addresses or with a failed look-up fails with unresolvable and the message of the failure', async () => {
  const empty = outboundToPeers({}, { resolve: async () => [] });
  assert.equal(await outcomeOf(empty, 'http://empty.example.com/'), 'unresolvable');
  const failing = outboundToPeers({}, { resolve: () => Promise.reject(new Error('SERVFAIL')) });
  const fetched = await getJson(failing, 'http://failing.example.com/');
  assert.deepEqual(fetched, {
    status: 'failed',
    reason: 'unresolvable',
    detail: 'SERVFAIL',
    retryAfter: 60,
  });
});

test('a name that does not exist is no passing failure: a retry would not help', async () => {
  const unknown = Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
  const outbound = outboundToPeers({}, { resolve: () => Promise.reject(unknown) });
  const fetched = await getJson(outbound, 'http://unknown.example.com/');
  assert.ok(fetched.status === 'failed' && fetched.retryAfter === undefined);
});

test('a look-up that hangs and ignores its signal ends at the deadline (H-045)', async () => {
  const outbound = outboundToPeers({ timeoutMs: 100 }, { resolve: () => new Promise(() => undefined) });
  assert.equal(await outcomeOf(outbound, 'http://hanging.example.com/'), 'timeout');
});
