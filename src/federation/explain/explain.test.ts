import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestFederation, testEntity } from '../../testing/federation.ts';
import { configurationUrl } from '../entity-id.ts';
import type { Resolution } from '../trust-chain/resolve-trust.ts';
import { resolutionAsJson } from './json.ts';
import { resolutionAsSvg } from './svg.ts';
import { resolutionAsText } from './text.ts';

const RP = testEntity('https://rp.example');
const ORG = testEntity('https://org.example');
const DEAD = testEntity('https://dead.example');
const ANCHOR = testEntity('https://anchor.example');
const TYPE = 'openid_relying_party';

async function searched(policy: object = { scope: { subset_of: ['openid'] } }): Promise<Resolution> {
  const federation = new TestFederation();
  federation.join(RP, [DEAD, ORG], { metadata: { [TYPE]: { scope: 'openid email' } } });
  federation.documents.set(configurationUrl(DEAD.id), 'timeout');
  federation.join(ORG, [ANCHOR], {}, { metadata_policy: { [TYPE]: policy } });
  federation.join(ANCHOR, []);
  return await federation.resolve(RP, [ANCHOR]);
}

test('resolutionAsText shows each statement with its source and expiry, each check, each operator and the failed branch', async () => {
  const text = resolutionAsText(await searched()).join('\n');
  for (const expected of [
    `${RP.id}: trusted through ${ANCHOR.id} until 2027-01-15T09:00:00Z (6 fetches)`,
    `✓ configuration from ${RP.id}/.well-known/openid-federation, expires 2027-01-15T09:00:00Z`,
    '✓ §3.2 12 signature',
    '├─ https://dead.example',
    '✗ fetch_timeout: an entity statement could not be fetched (https://dead.example/.well-known/openid-federation)',
    '└─ https://org.example',
    `✓ statement about ${RP.id} from ${ORG.id}/fetch?sub=https%3A%2F%2Frp.example`,
    '  └─ https://anchor.example (trust anchor)',
    `✓ chain ${RP.id} ← ${ORG.id} ← ${ANCHOR.id}, expires`,
    '✓ §10.2 9 ES[i] is signed by a configured key of the trust anchor',
    '✓ openid_relying_party.scope subset_of ["openid"]: ["openid","email"] → ["openid"]',
  ]) {
    assert.ok(text.includes(expected), `${expected}\n${text}`);
  }
});

test('resolutionAsText shows the reason on the second line if there is no chain', async () => {
  const [first, second, ...rest] = resolutionAsText(await searched({ contacts: { essential: true } }));
  assert.equal(first, `${RP.id}: no trust chain (6 fetches)`);
  assert.equal(
    second,
    'reason: policy_violated: the metadata policy: for openid_relying_party.contacts: essential requires the parameter, which is absent',
  );
  assert.ok(
    rest.some((line) =>
      line.includes('✗ openid_relying_party.contacts essential true: absent: essential requires'),
    ),
  );
});

test('resolutionAsJson shows the outcome and the search tree', async () => {
  const json = resolutionAsJson(await searched()) as unknown as {
    readonly chain: { readonly metadata: object; readonly statements: readonly string[] };
    readonly search: Resolution['search'];
  };
  assert.deepEqual(json.chain.metadata, { [TYPE]: { scope: 'openid' } });
  assert.equal(json.chain.statements.length, 4);
  assert.deepEqual(
    json.search.superiors.map(({ entity_id, reason }) => [entity_id, reason?.code]),
    [
      [DEAD.id, 'fetch_timeout'],
      [ORG.id, undefined],
    ],
  );
  const failed = resolutionAsJson(await searched({ contacts: { essential: true } })) as unknown as Resolution;
  assert.equal(failed.chain, null);
  assert.equal(failed.reason?.code, 'policy_violated');
});

test('resolutionAsSvg draws a box for each entity and the chain in green, and escapes every text', async () => {
  const resolution = await searched();
  const svg = resolutionAsSvg(resolution);
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.equal(svg.match(/<rect [^>]*rx="6"/g)?.length, 4);
  assert.equal(svg.match(/stroke="#2a9d4a" stroke-width="3"/g)?.length, 2);
  assert.ok(svg.includes('✗ configuration: fetch_timeout'));
  const hostile = { ...resolution, search: { ...resolution.search, entity_id: '"><script>\u202E&\u0007' } };
  const drawn = resolutionAsSvg(hostile);
  assert.ok(!drawn.includes('<script>'));
  assert.ok(drawn.includes('&quot;&gt;&lt;script&gt;?&amp;?'));
});
