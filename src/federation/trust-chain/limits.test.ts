import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS, TestFederation, testEntity } from '../../testing/federation.ts';
import { configurationUrl } from '../entity-id.ts';

const RP = testEntity('https://rp.example');
const ORG = testEntity('https://org.example');
const ANCHOR = testEntity('https://anchor.example');
const OTHER = testEntity('https://other.example');
const RP_METADATA = { metadata: { openid_relying_party: { redirect_uris: ['https://rp.example/cb'] } } };

function simple(): TestFederation {
  const federation = new TestFederation();
  federation.join(RP, [ORG], RP_METADATA);
  federation.join(ORG, [ANCHOR]);
  federation.join(ANCHOR, []);
  return federation;
}

test('the search ends at its time limit if an authority never answers (H-199; decision 36)', async () => {
  const federation = simple();
  federation.join(RP, [OTHER], RP_METADATA);
  federation.documents.set(configurationUrl(OTHER.id), () => new Promise(() => undefined));
  const limits = { ...LIMITS, budget: { ...LIMITS.budget, timeMs: 20 } };
  const { chain, reason } = await federation.resolve(RP, [ANCHOR], { limits });
  assert.equal(chain, undefined);
  assert.equal(reason?.code, 'time_exhausted');
});

test('the search fetches nothing after its time limit (decision 36)', async () => {
  const federation = simple();
  federation.documents.set(configurationUrl(ORG.id), () => {
    federation.milliseconds += 10_000;
    return ORG.configuration({
      authority_hints: [ANCHOR.id],
      metadata: { federation_entity: { federation_fetch_endpoint: `${ORG.id}/fetch` } },
    });
  });
  const { reason } = await federation.resolve(RP, [ANCHOR]);
  assert.equal(reason?.code, 'time_exhausted');
  assert.equal(federation.fetched.length, 2);
});

// proves openid-federation-18.1-1
test('the search follows five hints of one entity, anchors first (§18.1; H-198)', async () => {
  const federation = simple();
  const many = [1, 2, 3, 4, 5, 6].map((number) => testEntity(`https://org-${number}.example`));
  federation.join(RP, [...many, ANCHOR], RP_METADATA);
  const { chain } = await federation.resolve(RP, [ANCHOR]);
  assert.equal(chain?.immediate_superior, ANCHOR.id);
  const asked = federation.fetched.filter((url) => url.startsWith('https://org-'));
  assert.equal(asked.length, 4);
});

test('a chain may have five superiors, and six are rejected (decision 36; H-201)', async () => {
  for (const superiors of [5, 6]) {
    const federation = new TestFederation();
    const line = Array.from({ length: superiors }, (_, index) =>
      testEntity(`https://level-${index}.example`),
    );
    for (const [index, entity] of [RP, ...line].entries()) {
      const above = line[index];
      federation.join(entity, above === undefined ? [] : [above]);
    }
    const anchor = line.at(-1) ?? ANCHOR;
    const { chain, reason } = await federation.resolve(RP, [anchor]);
    assert.equal(chain?.statements.length, superiors === 5 ? 7 : undefined);
    assert.equal(reason?.code, superiors === 5 ? undefined : 'depth_exhausted');
  }
});

// proves openid-federation-18.1-1
test('a net of diamonds costs at most twenty fetches and a hundred paths (H-201)', async () => {
  const federation = new TestFederation();
  const levels = Array.from({ length: 6 }, (_, level) =>
    [0, 1, 2, 3, 4].map((place) => testEntity(`https://n${level}-${place}.example`)),
  );
  for (const [index, level] of levels.entries()) {
    for (const entity of level) federation.join(entity, levels[index + 1] ?? []);
  }
  federation.join(RP, levels[0] ?? []);
  const { chain, fetches } = await federation.resolve(RP, [ANCHOR]);
  assert.equal(chain, undefined);
  assert.equal(fetches, 20);
  const limits = { ...LIMITS, budget: { ...LIMITS.budget, fetches: 10_000, bytes: 100_000_000 } };
  const wide = await federation.resolve(RP, [ANCHOR], { limits });
  assert.equal(wide.reason?.code, 'paths_exhausted');
  assert.ok(wide.fetches <= 200, String(wide.fetches));
});

test('a resolution ends when its statements exceed the limit on bytes (decision 36; H-224)', async () => {
  const federation = simple();
  const limits = { ...LIMITS, budget: { ...LIMITS.budget, bytes: 1500 } };
  const { reason } = await federation.resolve(RP, [ANCHOR], { limits });
  assert.equal(reason?.code, 'bytes_exhausted');
});

test('a statement with more keys than the limit is rejected (H-224)', async () => {
  const federation = simple();
  const keys = Array.from({ length: 17 }, (_, index) => ({ ...RP.key.jwk, kid: `k${index}` }));
  federation.state(ORG, RP, { jwks: { keys } });
  assert.equal((await federation.resolve(RP, [ANCHOR])).reason?.code, 'statement_jwks');
});

test('an anchor’s configuration signed with a key of the anchor that the operator did not configure is rejected (§10.2; H-203)', async () => {
  const federation = simple();
  const second = testEntity('https://anchor.example/second');
  federation.join(ANCHOR, []);
  const claims = {
    jwks: { keys: [ANCHOR.key.jwk, second.key.jwk] },
    metadata: { federation_entity: { federation_fetch_endpoint: `${ANCHOR.id}/fetch` } },
  };
  federation.documents.set(configurationUrl(ANCHOR.id), ANCHOR.configuration(claims, {}, second.key));
  const { reason } = await federation.resolve(RP, [ANCHOR]);
  assert.equal(reason?.code, 'chain_anchor_key');
});

test('a statement on two paths is fetched once (§10.1)', async () => {
  const federation = simple();
  federation.join(RP, [ORG, OTHER], RP_METADATA);
  const above = testEntity('https://above.example');
  federation.join(ORG, [above]);
  federation.join(OTHER, [above]);
  federation.join(above, [ANCHOR]);
  const { chain } = await federation.resolve(RP, [ANCHOR]);
  assert.equal(chain?.statements.length, 5);
  assert.equal(new Set(federation.fetched).size, federation.fetched.length, federation.fetched.join('\n'));
});
