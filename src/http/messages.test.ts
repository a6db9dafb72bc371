import assert from 'node:assert/strict';
import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test as register } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from '../testing/messages.ts';
import { DOCUMENTED_MESSAGES, type Messages, type Request } from './messages.ts';
import { INTERNAL_MESSAGES, messagesOfThisNode, serves } from './node-internals.ts';
import { type BodyLimits, BodyMemory } from './request-body.ts';

const LIMIT_BYTES = 4;
const MEMORY_BYTES = 2_048;
type Pieces = readonly (string | null)[];

/** A request as Node's parser makes it. */
type Parsed = Request & { push(chunk: unknown): boolean };

function receive(messages: Messages, pieces: Pieces): Parsed {
  const limits = { body_bytes: LIMIT_BYTES, memory: new BodyMemory(MEMORY_BYTES) };
  const request = new (messages.requestsUpTo(limits))(new Socket()) as unknown as Parsed;
  push(request, pieces);
  return request;
}

/** As Node's parser does. */
function push(request: Parsed, pieces: Pieces): void {
  for (const piece of pieces) request.push(piece === null ? null : Buffer.from(piece));
}

async function bodyRead(request: Parsed, later: Pieces = []): Promise<string[]> {
  const read: string[] = [];
  request.readBody((body) => read.push(body.toString()));
  push(request, later);
  await nextTurn();
  return read;
}

test('a reader gets the whole body once, whether the body arrived before or after readBody', async (_t, messages) => {
  assert.deepEqual(await bodyRead(receive(messages, [null])), ['']);
  assert.deepEqual(await bodyRead(receive(messages, ['a', 'b', 'cd', null])), ['abcd']);
  assert.deepEqual(await bodyRead(receive(messages, ['a', 'b']), ['cd', null]), ['abcd']);
  assert.deepEqual(await bodyRead(receive(messages, []), ['abcd', null]), ['abcd']);
  assert.deepEqual(await bodyRead(receive(messages, ['a'])), []);
});

test('a body that was forgotten because its client has gone is not read as an empty one', async (_t, messages) => {
  const request = receive(messages, ['ab', null]);
  // Node tells the end of a stream a little later.
  await nextTurn();
  request.releaseBody();
  assert.deepEqual(await bodyRead(request), []);
});

test('a reader gets the refusal once, as soon as the body exceeds the limit', async (_t, messages) => {
  assert.deepEqual(await bodyRead(receive(messages, ['abcde'])), ['too-large']);
  assert.deepEqual(await bodyRead(receive(messages, ['abcd', 'e', 'f', null])), ['too-large']);
  assert.deepEqual(await bodyRead(receive(messages, ['abcd']), ['e']), ['too-large']);
  assert.deepEqual(await bodyRead(receive(messages, []), ['abcde', 'f', null]), ['too-large']);
});

test('a listener gets the length of each dropped piece, and 0 at the end', async (_t, messages) => {
  // A stream also tells of the pieces that it holds already.
  const held = messages === DOCUMENTED_MESSAGES ? [2] : [];
  const told: number[] = [];
  const request = receive(messages, ['ab']);
  request.dropBody((bytes) => told.push(bytes));
  push(request, ['cde', null]);
  await nextTurn();
  assert.deepEqual(told, [...held, 3, 0]);
  const ended: number[] = [];
  receive(messages, ['ab', null]).dropBody((bytes) => ended.push(bytes));
  await nextTurn();
  assert.deepEqual(ended, [...held, 0]);
});

register('the trial at the start finds that this Node serves the internal messages', async () => {
  assert.equal(await messagesOfThisNode(), INTERNAL_MESSAGES);
});

register('the trial at the start refuses messages that lack an internal of Node', async () => {
  const { requestsUpTo, response } = INTERNAL_MESSAGES;
  const withoutPush = (limits: BodyLimits) =>
    class extends requestsUpTo(limits) {
      override push(): boolean {
        return true;
      }
    };
  class WithoutHeader extends response {
    set _header(_head: string) {
      throw new TypeError('no such field');
    }
  }
  class WithoutConstructor extends ServerResponse {
    constructor(...parameters: ConstructorParameters<typeof ServerResponse>) {
      super(...parameters);
      throw new TypeError('not constructible');
    }
  }
  class OtherHead extends ServerResponse {
    sendReady(): boolean {
      this.end('ping');
      return true;
    }
  }
  assert.equal(await serves(DOCUMENTED_MESSAGES), false);
  assert.equal(await serves({ ...INTERNAL_MESSAGES, requestsUpTo: withoutPush }, 50), false);
  for (const other of [WithoutHeader, WithoutConstructor, OtherHead]) {
    assert.equal(await serves({ ...INTERNAL_MESSAGES, response: other }), false, other.name);
  }
  for (const parser of [undefined, {}]) {
    const receive: Messages['receive'] = (server, received) => {
      server.on('connection', (socket) => Object.assign(socket, { parser }));
      INTERNAL_MESSAGES.receive(server, received);
    };
    assert.equal(await serves({ ...INTERNAL_MESSAGES, receive }), false);
  }
});
