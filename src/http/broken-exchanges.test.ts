import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { converse, type Part } from '../../test/program/raw-socket.ts';
import type { EndpointRequest, EndpointResponse } from '../endpoints/contract.ts';
import { GET, ok, runHost, soon } from '../testing/host.ts';
import { test } from '../testing/messages.ts';
import { BodyMemory } from './request-body.ts';

const CONNECT = 'CONNECT h:1 HTTP/1.1\r\nHost: h\r\n';
const pause: Part = { wait_ms: 20 };

test('H-734 a client that resets its connection after CONNECT causes no uncaught error', async (t, messages) => {
  const { address, observed } = await runHost(t, messages, () => ok);
  const requests = [`${CONNECT}\r\n`, `${CONNECT}Content-Length: 10\r\n\r\nabc`];
  for (const request of requests) await converse(address, [request, { end: 'reset' }], { until: 'closed' });
  await soon(() => observed.length === requests.length);
  await sleep(20);
  assert.equal((await converse(address, [GET])).answers[0]?.status, 200);
});

test('H-734 CONNECT behind a request takes no answer from it, and ends the connection after it', async (t, messages) => {
  const { address } = await runHost(t, messages, async () => {
    await sleep(20);
    return ok;
  });
  const { answers, closed } = await converse(address, [`${GET}${CONNECT}\r\n`], { until: 'closed' });
  assert.deepEqual([answers.map(({ status }) => status), closed], [[200], true]);
});

test('H-735 a body that arrives after its answer, or breaks off, leaves no memory taken', async (t, messages) => {
  const bodies = new BodyMemory(10_000);
  const limits = { body: 1_000, bodies, header: 16_384 };
  const { address } = await runHost(t, messages, () => ok, {
    method: 'POST',
    path: '/x',
    body: 'form',
    limits,
  });
  const head = (method: string, lines: string): string => `${method} /x HTTP/1.1\r\nHost: h\r\n${lines}\r\n`;
  const chunked = 'Transfer-Encoding: chunked\r\n';
  const exchanges: readonly (readonly [head: string, early: string, late: string])[] = [
    [head('OPTIONS', 'Content-Length: 4\r\n'), '', 'abcd'],
    [head('POST', chunked), '3\r\nabc\r\n', 'zz\r\n'],
    [head('POST', `Connection: close\r\n${chunked}`), '3\r\nabc\r\n', 'zz\r\n'],
  ];
  for (const [first, early, late] of exchanges) {
    const parts: Part[] = [first, early, pause, late, pause, { end: 'half-close' }];
    await converse(address, parts, { until: 'closed' });
    await soon(() => bodies.taken_bytes === 0);
    await sleep(20);
    assert.deepEqual([bodies.taken_bytes, bodies.complete_bytes], [0, 0], first);
  }
});

test('H-736 no 100 (Continue) gets into the answer of a request that waits behind another one', async (t, messages) => {
  const answer = async ({ body }: EndpointRequest): Promise<EndpointResponse> => {
    if (Buffer.from(body).toString() === 'a') await sleep(40);
    return { ...ok, body: Buffer.from('bytes') };
  };
  const { address } = await runHost(t, messages, answer, { method: 'POST', path: '/x', body: 'form' });
  const post = 'POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n';
  const { answers } = await converse(address, [`${post}\r\na${post}Expect: 100-continue\r\n\r\nb`], {
    until: 2,
  });
  assert.deepEqual(
    answers.filter(({ status }) => status !== 100).map(({ body }) => body),
    ['bytes', 'bytes'],
  );
});

test('H-737 a stream is written in full although the body of its request turns out to be broken', async (t, messages) => {
  const body = async function* (): AsyncGenerator<string> {
    for (const piece of ['one ', 'two ', 'three']) {
      yield piece;
      await sleep(40);
    }
  };
  const { address, errors } = await runHost(t, messages, () => ({ ...ok, body: body() }));
  const request = GET.replace('\r\n\r\n', '\r\nTransfer-Encoding: chunked\r\n\r\n');
  const broken: Part[] = Array.from({ length: 12 }, () => [{ wait_ms: 2 }, 'zz\r\n']).flat();
  const { answers, closed } = await converse(address, [request, pause, ...broken], { until: 'closed' });
  assert.deepEqual([answers.map((one) => one.body), closed, errors], [['one two three'], true, []]);
});
