import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { NetworkLimits, refusalLog } from './network-limits.ts';

let port = 0;

/** A connection from this address, as far as limits look at it. */
class Connection extends EventEmitter {
  readonly localAddress = '::1';
  readonly localPort = 443;
  readonly remotePort = (port += 1);
  readonly remoteAddress: string | undefined;
  destroyed = false;

  constructor(remoteAddress: string | undefined) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

const from = (address: string | undefined): Socket & Connection =>
  new Connection(address) as unknown as Socket & Connection;

function limitsOf(some: Partial<{ connections: number; handshakes: number; allHandshakes: number }>) {
  const refused: string[] = [];
  const limits = new NetworkLimits({
    connections: 0,
    handshakes: 0,
    allHandshakes: 100,
    isExempt: (address) => address === '10.0.0.1',
    refused: (reason, network) => refused.push(`${reason} ${network}`),
    ...some,
  });
  return { limits, refused };
}

test('the addresses of one IPv6 /64 share the connections of one network, others do not (H-243)', () => {
  const { limits, refused } = limitsOf({ connections: 2 });
  const admitted = ['2001:db8::1', '2001:db8::ffff:2', '2001:db8::3', '2001:db8:0:1::1', '::ffff:192.0.2.1'];
  assert.deepEqual(
    admitted.map((address) => limits.admits(from(address))),
    [true, true, false, true, true],
  );
  assert.deepEqual(refused, ['network 2001:db8:0:0']);
});

test('a connection that ends makes room for the next one of its network, also one that was refused (H-243)', () => {
  const { limits } = limitsOf({ connections: 1 });
  const earlier = from('192.0.2.1');
  assert.equal(limits.admits(earlier), true);
  const refused = from('192.0.2.1');
  assert.equal(limits.admits(refused), false);
  assert.equal(refused.destroyed, true);
  assert.equal(limits.admits(from('192.0.2.1')), false, 'the refused one counted once');
  earlier.destroy();
  assert.equal(limits.admits(from('192.0.2.1')), true);
  assert.equal(limits.admits(from('192.0.2.1')), false);
});

test('trusted proxies and peers that have gone have no limit of connections; 0 is no limit (H-243)', () => {
  const { limits } = limitsOf({ connections: 1 });
  for (const address of ['10.0.0.1', undefined])
    for (let count = 0; count < 3; count += 1) assert.equal(limits.admits(from(address)), true);
  const none = limitsOf({}).limits;
  for (let count = 0; count < 3; count += 1) assert.equal(none.admits(from('192.0.2.1')), true);
});

test('the oldest unfinished handshake of a network ends when it has one too many (H-244)', () => {
  const { limits, refused } = limitsOf({ handshakes: 2 });
  const [first, finished, third, fourth, fifth] = Array.from({ length: 5 }, () => from('192.0.2.1'));
  const other = from('192.0.2.2');
  assert.ok(first && finished && third && fourth && fifth);
  for (const socket of [other, first, finished]) limits.beginHandshake(socket);
  limits.finishHandshake(finished);
  for (const socket of [third, fourth, fifth]) limits.beginHandshake(socket);
  assert.deepEqual(
    [other, first, finished, third, fourth, fifth].map(({ destroyed }) => destroyed),
    [false, true, false, true, false, false],
  );
  assert.deepEqual(refused, ['handshakes 192.0.2.1', 'handshakes 192.0.2.1']);
});

test('all unfinished handshakes have a limit too, also those of trusted proxies (H-244)', () => {
  const { limits, refused } = limitsOf({ allHandshakes: 3, handshakes: 1 });
  const sockets = ['10.0.0.1', '10.0.0.1', '192.0.2.1', '192.0.2.2'].map(from);
  for (const socket of sockets) limits.beginHandshake(socket);
  assert.deepEqual(
    sockets.map(({ destroyed }) => destroyed),
    [true, false, false, false],
  );
  assert.deepEqual(refused, ['all-handshakes a trusted proxy']);
  for (const socket of sockets) socket.destroy();
  limits.beginHandshake(from('192.0.2.1'));
  assert.equal(refused.length, 1);
});

test('the log says each reason at once, and then not for each refusal', () => {
  const lines: unknown[] = [];
  const log = refusalLog({ info() {}, error() {}, warn: (members, words) => lines.push([members, words]) });
  for (let count = 0; count < 5; count += 1) log('network', '192.0.2.1');
  log('max-connections');
  assert.deepEqual(lines, [
    [
      { count: 1, reason: 'too-many-connections', network: '192.0.2.1' },
      'connections of one network were refused (listen.connections-per-network)',
    ],
    [{ count: 1, reason: 'too-many-connections' }, 'connections were refused (listen.max-connections)'],
  ]);
});
