import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { converse } from '../../test/program/raw-socket.ts';
import { GET, ok, runHost, soon } from '../testing/host.ts';
import { test } from '../testing/messages.ts';

test('a stream is written chunk by chunk and observed at its end', async (t, messages) => {
  const { address, observed } = await runHost(t, messages, () => ({
    ...ok,
    body: (async function* () {
      yield '["é",';
      yield '2]';
    })(),
  }));
  const { answers } = await converse(address, [GET]);
  assert.equal(Buffer.from(answers[0]?.body ?? '', 'latin1').toString(), '["é",2]');
  assert.deepEqual(observed, [['list', 200]]);
});

test('HEAD of a stream takes nothing from it', async (t, messages) => {
  let taken = 0;
  const { address } = await runHost(t, messages, () => ({
    ...ok,
    body: (async function* () {
      taken++;
      yield 'x';
    })(),
  }));
  const { answers } = await converse(address, [GET.replace('GET', 'HEAD')], { head: true });
  assert.deepEqual([answers[0]?.status, answers[0]?.body, taken], [200, '', 0]);
});

test('a client that does not read pauses the iterator, and a client that goes away ends it', async (t, messages) => {
  let taken = 0;
  let returned = false;
  const { address, observed } = await runHost(t, messages, () => ({
    ...ok,
    body: (async function* () {
      try {
        for (;;) {
          taken++;
          yield 'x'.repeat(65_536);
        }
      } finally {
        returned = true;
      }
    })(),
  }));
  const socket = connect(address);
  socket.pause();
  socket.write(GET);
  await soon(() => taken > 0);
  let before = -1;
  await soon(() => {
    const still = taken === before;
    before = taken;
    return still;
  });
  assert.ok(taken < 1_000, `${taken} chunks of 64 KB for a reader of none`);
  socket.resetAndDestroy();
  await soon(() => returned && observed.length === 1);
});

test('a stream that waits for its next chunk is told when the client goes away', async (t, messages) => {
  let left = 0;
  const { address, observed } = await runHost(t, messages, () => {
    const end = Promise.withResolvers<IteratorResult<string>>();
    let sent = false;
    const next = async (): Promise<IteratorResult<string>> => {
      if (sent) return await end.promise;
      sent = true;
      return { value: 'event', done: false };
    };
    const leave = async (): Promise<IteratorResult<string>> => {
      left++;
      end.resolve({ value: undefined, done: true });
      return await end.promise;
    };
    return { ...ok, body: { [Symbol.asyncIterator]: () => ({ next, return: leave }) } };
  });
  const socket = connect(address);
  socket.write(GET);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.resetAndDestroy();
  await soon(() => left > 0 && observed.length === 1);
});

test('a stream to a fast client gives other requests their share of each event-loop turn', async (t, messages) => {
  let chunks = 0;
  let sinceTurn = 0;
  let mostInTurn = 0;
  const { address } = await runHost(t, messages, () => ({
    ...ok,
    body: (async function* () {
      for (; chunks < 200; chunks++) {
        mostInTurn = Math.max(mostInTurn, ++sinceTurn);
        yield 'x'.repeat(16_384);
      }
    })(),
  }));
  const turn = (): void => {
    sinceTurn = 0;
    if (chunks < 200) setImmediate(turn);
  };
  turn();
  const { answers } = await converse(address, [GET], { timeout_ms: 60_000 });
  assert.equal(answers[0]?.body.length, 200 * 16_384);
  assert.ok(mostInTurn <= 10, `${mostInTurn} chunks of 16 KB in one turn`);
});

test('a stream that fails midway has no last chunk, so the client knows that it is incomplete', async (t, messages) => {
  const { address, errors } = await runHost(t, messages, () => ({
    ...ok,
    body: (async function* () {
      yield '[1,';
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error('lost');
    })(),
  }));
  const { answers, text, closed } = await converse(address, [GET]);
  assert.equal(closed, true);
  assert.match(text, /\[1,/);
  assert.doesNotMatch(text, /\r\n0\r\n/);
  assert.equal(answers.length, 0);
  assert.match(String(errors[0]?.['cause']), /lost/);
});

test('a stream that waits behind a pipelined answer ends when the client goes away', async (t, messages) => {
  let returned = false;
  const { address } = await runHost(t, messages, ({ segment }) => {
    if (segment !== 'stream') return new Promise(() => {});
    const chunks = async function* (): AsyncGenerator<string> {
      try {
        for (;;) yield 'x'.repeat(65_536);
      } finally {
        returned = true;
      }
    };
    return { ...ok, body: chunks() };
  });
  const socket = connect(address);
  socket.write(`${GET}GET /x/stream HTTP/1.1\r\nHost: h\r\n\r\n`);
  await new Promise((next) => setTimeout(next, 50));
  socket.resetAndDestroy();
  await soon(() => returned);
});

test('a client that stops reading is cut after the stall timeout', async (t, messages) => {
  const { address, observed } = await runHost(
    t,
    messages,
    () => ({
      ...ok,
      body: (async function* () {
        for (;;) yield 'x'.repeat(65_536);
      })(),
    }),
    { stallTimeout: 500 },
  );
  const socket = connect(address);
  socket.pause();
  socket.write(GET);
  await soon(() => observed.length === 1);
  socket.destroy();
});
