import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestFederation, testEntity } from '../../testing/federation.ts';
import { configurationUrl } from '../entity-id.ts';
import type { Resolution } from '../trust-chain/resolve-trust.ts';
import { changeWords, finalMetadata } from './final-metadata.ts';
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

test('resolutionAsText shows the outcome, what a policy changed, and one line for each statement', async () => {
  const lines = resolutionAsText(await searched(), { verbose: false });
  const until = 'valid until 2027-01-15T09:00:00Z';
  assert.deepEqual(lines, [
    `${RP.id}: trusted through ${ANCHOR.id} until 2027-01-15T09:00:00Z (6 fetches)`,
    `immediate superior: ${ORG.id}`,
    'openid_relying_party:',
    '  scope: "openid"',
    '    ↳ subset_of ["openid"] of https://anchor.example changed it from ["openid","email"]',
    '',
    RP.id,
    `  ✓ configuration: 33 checks passed, ${until}`,
    '├─ https://dead.example',
    '│    ✗ configuration: fetch_timeout: an entity statement could not be fetched (https://dead.example/.well-known/openid-federation)',
    '└─ https://org.example',
    `     ✓ configuration: 33 checks passed, ${until}`,
    `     ✓ statement about ${RP.id}: 33 checks passed, ${until}`,
    '   └─ https://anchor.example (trust anchor)',
    `        ✓ configuration: 33 checks passed, ${until}`,
    `        ✓ statement about ${ORG.id}: 33 checks passed, ${until}`,
    '        ✓ chain: 10 checks passed, 1 policy operator applied',
  ]);
});

test('resolutionAsText with verbose shows each source, each check, each operator and the failed branch', async () => {
  const text = resolutionAsText(await searched(), { verbose: true }).join('\n');
  for (const expected of [
    `${RP.id}: trusted through ${ANCHOR.id} until 2027-01-15T09:00:00Z (6 fetches)`,
    `✓ configuration from ${RP.id}/.well-known/openid-federation, valid until 2027-01-15T09:00:00Z`,
    '✓ §3.2 12 signature',
    '├─ https://dead.example',
    '✗ fetch_timeout: an entity statement could not be fetched (https://dead.example/.well-known/openid-federation)',
    '└─ https://org.example',
    `✓ statement about ${RP.id} from ${ORG.id}/fetch?sub=https%3A%2F%2Frp.example`,
    '  └─ https://anchor.example (trust anchor)',
    `✓ chain ${RP.id} ← ${ORG.id} ← ${ANCHOR.id}, valid until`,
    '✓ §10.2 9 ES[i] is signed by a configured key of the trust anchor',
    '✓ openid_relying_party.scope subset_of ["openid"]: ["openid","email"] → ["openid"]',
  ]) {
    assert.ok(text.includes(expected), `${expected}\n${text}`);
  }
});

for (const verbose of [false, true])
  test(`resolutionAsText${verbose ? ' with verbose' : ''} shows the reason and the failed operator if there is no chain`, async () => {
    const policy = { contacts: { essential: true } };
    const [first, second, ...rest] = resolutionAsText(await searched(policy), { verbose });
    assert.equal(first, `${RP.id}: no trust chain (6 fetches)`);
    assert.equal(
      second,
      'reason: policy_violated: the metadata policy: for openid_relying_party.contacts: essential requires the parameter, which is absent',
    );
    const failed = '✗ openid_relying_party.contacts essential true: absent: essential requires';
    assert.equal(rest.filter((line) => line.includes(failed)).length, 1);
  });

test('resolutionAsText counts one fetch and one check as one', async () => {
  const federation = new TestFederation();
  federation.documents.set(configurationUrl(RP.id), 'not a JWT');
  const lines = resolutionAsText(await federation.resolve(RP, [ANCHOR]), { verbose: false });
  assert.equal(lines[0], `${RP.id}: no trust chain (1 fetch)`);
});

test('a change names every superior whose policy has the operator, and an operator that changed nothing is not named', async () => {
  const federation = new TestFederation();
  const metadata = { [TYPE]: { scope: 'openid email', client_name: 'RP' } };
  federation.join(
    RP,
    [ORG],
    { metadata },
    {
      metadata_policy: { [TYPE]: { scope: { subset_of: ['openid'] }, client_name: { value: 'Renamed' } } },
    },
  );
  federation.join(
    ORG,
    [ANCHOR],
    {},
    {
      metadata_policy: { [TYPE]: { scope: { subset_of: ['openid', 'profile'], essential: true } } },
    },
  );
  federation.join(ANCHOR, []);
  const [type] = finalMetadata(await federation.resolve(RP, [ANCHOR]));
  assert.deepEqual(
    type?.members.map(({ name, changes }) => [name, ...changes.map(changeWords)]),
    [
      ['scope', `subset_of ["openid"] of ${ANCHOR.id} and ${ORG.id} changed it from ["openid","email"]`],
      ['client_name', `value "Renamed" of ${ORG.id} changed it from "RP"`],
    ],
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

test('resolutionAsSvg draws a box for each entity, the anchor above, the chain in green, and escapes every text', async () => {
  const resolution = await searched();
  const svg = resolutionAsSvg(resolution);
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.equal(svg.match(/<rect [^>]*rx="6"/g)?.length, 4);
  assert.equal(svg.match(/<rect class="box chain"/g)?.length, 3);
  const boxes = [...svg.matchAll(/class="title" xml:space="preserve" x="\d+" y="\d+">(https:[^<]*)</g)];
  assert.deepEqual(
    boxes.map(([, name]) => name).filter((name) => name !== undefined && !name.includes(': ')),
    [RP.id, DEAD.id, ORG.id, ANCHOR.id],
  );
  assert.ok(svg.includes('✗ configuration: fetch_timeout'));
  const hostile = { ...resolution, search: { ...resolution.search, entity_id: '"><script>\u202E&\u0007' } };
  const drawn = resolutionAsSvg(hostile);
  assert.ok(!drawn.includes('<script>'));
  assert.ok(drawn.includes('&quot;&gt;&lt;script&gt;?&amp;?'));
});

test('resolutionAsSvg says that checks passed, who vouches, what the metadata became and why, and has a key', async () => {
  const svg = resolutionAsSvg(await searched());
  assert.ok(svg.includes('checks passed,'));
  assert.equal(svg.match(/>vouches for</g)?.length, 2, 'above the relying party and above the organisation');
  assert.equal(
    svg.match(/<path class="link chain" marker-end="url\(#chain-head\)" d="M\d+ [\d.]+H/g)?.length,
    2,
  );
  assert.equal(
    svg.match(/<path class="link none" d="M\d+ [\d.]+H/g)?.length,
    1,
    'the dead superior does not vouch',
  );
  assert.ok(svg.includes('Resulting openid_relying_party'));
  assert.ok(svg.includes('↳ subset_of [&quot;openid&quot;] of'));
  assert.ok(svg.includes('vouches for; the valid chain'));
  assert.ok(svg.includes('@media(prefers-color-scheme:dark)'));
});
