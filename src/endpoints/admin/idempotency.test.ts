import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestOf } from '../../keys/digest.ts';
import type { Sealer } from '../../ports/sealer.ts';
import { sealerWith } from '../../system/sealer.ts';
import { testTenant } from '../../testing/tenant.ts';
import { answeredOnce } from './idempotency.ts';

test('a repetition whose answer was sealed with a removed encryption key is 409 idempotency_key_in_use, and nothing happens again', async () => {
  const { storage, clock, platform } = testTenant();
  const [old, present] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const repeated = { key: digestOf('key'), request: digestOf('request'), actor: 'ada' };
  let happened = 0;
  const ask = async (sealer: Sealer): Promise<unknown> =>
    await answeredOnce(
      { storage, sealer, clock, log: platform.log },
      repeated,
      async () => {
        happened += 1;
        return await Promise.resolve({ status: 201, headers: {}, body: JSON.stringify({ happened }) });
      },
      () => undefined,
    );
  const first = await ask(sealerWith([old]));
  assert.deepEqual(await ask(sealerWith([present, old])), first);
  await assert.rejects(ask(sealerWith([present])), {
    code: 'idempotency_key_in_use',
    detail: /read the resource before you take a new key$/,
  });
  assert.equal(happened, 1);
});
