import assert from 'node:assert/strict';
import { test } from 'node:test';
import { externalTenant } from '../../testing/external-sign-in.ts';
import { DIRECT, MASTER } from '../../testing/tenant.ts';

const { tenant, sentOut } = await externalTenant();

for (const bearer of [undefined, 'x', MASTER, DIRECT]) {
  test(`/interaction-api/{id} with ${bearer ?? 'no token'}: 401, and the request waits on (RFC 6750 §3)`, async () => {
    const { handle } = await sentOut();
    const authorized = bearer === undefined ? {} : { bearer };
    for (const [endpoint, json] of [
      ['external-sign-in', undefined],
      ['external-sign-in-outcome', { subject: 'mallory' }],
    ] as const) {
      const answer = await tenant.send(endpoint, { ...authorized, id: handle, json });
      assert.equal(answer.status, 401);
      assert.match(answer.headers['www-authenticate'] ?? '', /^Bearer/);
    }
  });
}

test('a client’s access token and the handle itself are no token of the page', async () => {
  const { handle } = await sentOut();
  assert.equal((await tenant.send('external-sign-in', { bearer: handle, id: handle })).status, 401);
});
