import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { joseJwtInspector } from '../../jose/jwt-verifier.ts';
import { ampleCaches } from '../../testing/caches.ts';
import { cryptoCalls } from '../../testing/crypto-calls.ts';
import { NOW, TestFederation, testEntity } from '../../testing/federation.ts';
import { statementSource } from './statement-source.ts';

const RP = testEntity('https://rp.example');
const ORG = testEntity('https://org.example');
const ANCHOR = testEntity('https://anchor.example');
const RP_METADATA = { metadata: { openid_relying_party: { redirect_uris: ['https://rp.example/cb'] } } };
const HOUR_MS = 3_600_000;

/** A federation whose statements are kept for two hours. */
function keeping() {
  const federation = new TestFederation();
  federation.join(RP, [ORG], RP_METADATA);
  federation.join(ORG, [ANCHOR]);
  federation.join(ANCHOR, []);
  const { outbound } = federation;
  let now = NOW;
  const clock = { now: () => now, milliseconds: () => now * 1000 };
  const source = statementSource({
    outbound,
    clock,
    keptMs: 2 * HOUR_MS,
    failedMs: 0,
    caches: ampleCaches(),
  });
  return {
    federation,
    resolve: async () => await federation.resolve(RP, [ANCHOR], { source, clock }),
    wait: (seconds: number) => {
      now += seconds;
    },
  };
}

test('a second resolution neither fetches nor parses nor verifies a statement that is kept', async (t) => {
  const { federation, resolve } = keeping();
  assert.ok((await resolve()).chain !== undefined);
  const inspect = mock.method(joseJwtInspector, 'inspect');
  t.after(() => inspect.mock.restore());
  const verify = cryptoCalls(t, 'verify');
  const { length } = federation.fetched;
  assert.ok((await resolve()).chain !== undefined);
  assert.equal(federation.fetched.length, length);
  assert.equal(inspect.mock.callCount(), 0);
  assert.equal(verify.callCount(), 0);
});

test('a kept statement ends at its exp, although its signature was verified before (§10.4)', async () => {
  const { resolve, wait } = keeping();
  assert.ok((await resolve()).chain !== undefined);
  wait(HOUR_MS / 1000);
  const { chain, reason } = await resolve();
  assert.equal(chain, undefined);
  assert.equal(reason?.code, 'chain_expired');
});
