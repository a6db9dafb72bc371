import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { Connections, type IdleLimits } from './connections.ts';
import type { Response } from './messages.ts';

const LIMITS: IdleLimits = { keepAliveTimeout: 75_000, headersTimeout: 1_000, maxConnections: 10 };

/** Opens connections that have had an answer, and tells how many of them are still open. */
function answered(connections: Connections, count: number): () => number {
  let open = count;
  const response = { isOver: true } as Response;
  for (let index = 0; index < count; index += 1) {
    const socket = Object.assign(new EventEmitter(), {
      destroy() {
        open -= 1;
        socket.emit('close');
      },
    });
    connections.add(socket as unknown as Socket);
    connections.began(socket as unknown as Socket, response);
  }
  return () => open;
}

test('an idle connection ends after the keep-alive time and the time of a header (RFC 9112 §9.5)', () => {
  const connections = new Connections();
  const open = answered(connections, 5);
  connections.endIdle(LIMITS, 0);
  connections.endIdle(LIMITS, 75_999);
  assert.equal(open(), 5);
  connections.endIdle(LIMITS, 76_000);
  assert.equal(open(), 0);
});

test('while more than half of listen.max-connections are open, idle ones end after 5 seconds', () => {
  const connections = new Connections();
  const open = answered(connections, 6);
  connections.endIdle(LIMITS, 0);
  connections.endIdle(LIMITS, 5_999);
  assert.equal(open(), 6);
  connections.endIdle(LIMITS, 6_000);
  assert.equal(open(), 0);
});

test('a keep-alive time of less than 5 seconds stays as it is while many connections are open', () => {
  const connections = new Connections();
  const open = answered(connections, 6);
  const limits = { ...LIMITS, keepAliveTimeout: 2_000 };
  connections.endIdle(limits, 0);
  connections.endIdle(limits, 3_000);
  assert.equal(open(), 0);
});

test('H-738 a request that Node reads on a broken connection is left alone', () => {
  const connections = new Connections();
  const socket = new EventEmitter() as unknown as Socket;
  const [first, second] = [{ isOver: false } as Response, { isOver: false } as Response];
  connections.add(socket);
  assert.equal(connections.began(socket, first), true);
  connections.broke(socket);
  assert.equal(connections.began(socket, second), false);
  assert.equal(connections.lastResponse(socket), first);
});
