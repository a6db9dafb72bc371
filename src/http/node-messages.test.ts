import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { Request } from './node-messages.ts';

const LIMIT_BYTES = 4;

function receive(pieces: readonly (string | null)[]): Request {
  const request = new Request(new Socket(), LIMIT_BYTES);
  for (const piece of pieces) request.push(piece === null ? null : Buffer.from(piece));
  return request;
}

function bodyRead(request: Request, later: readonly (string | null)[] = []): (string | undefined)[] {
  const read: (string | undefined)[] = [];
  request.readBody((body) => read.push(body?.toString()));
  for (const piece of later) request.push(piece === null ? null : Buffer.from(piece));
  return read;
}

test('a body is given once, whole, whether it came before or after somebody asked', () => {
  assert.deepEqual(bodyRead(receive([null])), ['']);
  assert.deepEqual(bodyRead(receive(['a', 'b', 'cd', null])), ['abcd']);
  assert.deepEqual(bodyRead(receive(['a', 'b']), ['cd', null]), ['abcd']);
  assert.deepEqual(bodyRead(receive([]), ['abcd', null]), ['abcd']);
  assert.deepEqual(bodyRead(receive(['a'])), []);
});

test('a body over the limit is refused once, as soon as it is over', () => {
  assert.deepEqual(bodyRead(receive(['abcde'])), [undefined]);
  assert.deepEqual(bodyRead(receive(['abcd', 'e', 'f', null])), [undefined]);
  assert.deepEqual(bodyRead(receive(['abcd']), ['e']), [undefined]);
  assert.deepEqual(bodyRead(receive([]), ['abcde', 'f', null]), [undefined]);
});

test('of a body that is dropped the length is told, and its end', () => {
  const told: number[] = [];
  const request = receive(['ab']);
  request.dropBody((bytes) => told.push(bytes));
  request.push(Buffer.from('cde'));
  request.push(null);
  assert.deepEqual(told, [3, 0]);
  const ended: number[] = [];
  receive(['ab', null]).dropBody((bytes) => ended.push(bytes));
  assert.deepEqual(ended, [0]);
});
