import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fetched, OutboundFailure } from '../../ports/outbound-http.ts';
import { NOW, TestFederation, testEntity } from '../../testing/federation.ts';
import { configurationUrl } from '../entity-id.ts';
import { AnchorExpiries, outcomeOf } from './resolution-figures.ts';
import type { Resolution } from './resolve-trust.ts';

const RP = testEntity('https://rp.example');
const ANCHOR = testEntity('https://anchor.example');

/** The federation of a relying party whose configuration has this answer; by default its own. */
async function resolved(
  answer?: Parameters<TestFederation['documents']['set']>[1],
): Promise<{ readonly resolution: Resolution; readonly measured: readonly [string, number][] }> {
  const federation = new TestFederation();
  federation.join(RP, [ANCHOR]);
  federation.join(ANCHOR, []);
  if (answer !== undefined) federation.documents.set(configurationUrl(RP.id), answer);
  const measured: [string, number][] = [];
  const resolution = await federation.resolve(RP, [ANCHOR], {
    measure: (ended, seconds) => void measured.push([outcomeOf(ended), seconds]),
  });
  return { resolution, measured };
}

const failure = (reason: OutboundFailure, retryAfter: number) => async (): Promise<Fetched> =>
  await Promise.resolve({
    status: 'failed',
    reason,
    detail: 'planted',
    retryAfter,
  });

for (const [name, answer, outcome] of [
  ['a valid chain', undefined, 'valid'],
  ['a statement that breaks a rule', 'no JWT', 'refused'],
  ['a fetch for which this server is too busy', failure('busy', 1), 'busy'],
  ['an authority that cannot be reached now', failure('connection', 1), 'unavailable'],
  ['an authority that does not answer in time', failure('timeout', 1), 'timeout'],
] as const)
  test(`a resolution with ${name} counts once, as ${outcome}`, async () => {
    const { measured } = await resolved(answer);
    assert.deepEqual(measured, [[outcome, 0]]);
  });

test('the nearest expiry of an anchor is that of its last configuration, and none once that has passed', async () => {
  const { resolution } = await resolved();
  const expiries = new AnchorExpiries();
  assert.equal(expiries.nearest(NOW), undefined);
  expiries.note(resolution);
  expiries.note({ chain: undefined });
  assert.equal(expiries.nearest(NOW), NOW + 3600);
  assert.equal(expiries.nearest(NOW + 3600), undefined);
});
