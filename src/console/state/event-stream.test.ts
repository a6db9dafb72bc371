import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventReader, type StreamEvent } from './event-stream.ts';

function read(...pieces: readonly string[]): readonly StreamEvent[] {
  const events: StreamEvent[] = [];
  const take = eventReader((event) => events.push(event));
  for (const piece of pieces) take(piece);
  return events;
}

test('events are complete at their blank line, however the text arrives (WHATWG HTML, Server-sent events)', () => {
  const text = 'id: 1\nevent: audit\ndata: {"a":1}\n\nid: 2\ndata: x\ndata: y\n\n';
  const expected = [
    { id: '1', event: 'audit', data: '{"a":1}' },
    { id: '2', event: 'message', data: 'x\ny' },
  ];
  assert.deepEqual(read(text), expected);
  assert.deepEqual(read(...text.split('')), expected);
  assert.deepEqual(read(text.replaceAll('\n', '\r\n')), expected);
});

test('a block with an identifier alone tells where to go on (WHATWG HTML, Server-sent events)', () => {
  assert.deepEqual(read('retry: 3000\nid: 7\n\n'), [{ id: '7', event: 'message', data: '' }]);
});

test('heartbeats and unfinished events give nothing (WHATWG HTML, Server-sent events)', () => {
  assert.deepEqual(read(': heartbeat\n\n', 'data: not yet'), []);
});
