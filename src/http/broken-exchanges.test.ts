import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { converse } from '../../test/program/raw-socket.ts';
import { GET, ok, runHost, soon } from '../testing/host.ts';
import { test } from '../testing/messages.ts';

const CONNECT = 'CONNECT h:1 HTTP/1.1\r\nHost: h\r\n';

test('a client that resets its connection after CONNECT causes no uncaught error', async (t, messages) => {
  const { address, observed } = await runHost(t, messages, () => ok);
  const requests = [`${CONNECT}\r\n`, `${CONNECT}Content-Length: 10\r\n\r\nabc`];
  for (const request of requests) await converse(address, [request, { end: 'reset' }], { until: 'closed' });
  await soon(() => observed.length === requests.length);
  await sleep(20);
  assert.equal((await converse(address, [GET])).answers[0]?.status, 200);
});

test('CONNECT behind a request takes no answer from it, and ends the connection after it', async (t, messages) => {
  const { address } = await runHost(t, messages, async () => {
    await sleep(20);
    return ok;
  });
  const { answers, closed } = await converse(address, [`${GET}${CONNECT}\r\n`], { until: 'closed' });
  assert.deepEqual([answers.map(({ status }) => status), closed], [[200], true]);
});
