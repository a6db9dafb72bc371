import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Authorities, type Entity, startAuthorities } from '../federation/authorities.ts';
import { chancery, type Ended } from './command.ts';

/** Runs `chancery federation resolve` against a federation on loopback, with development settings. */
const folder = mkdtempSync(join(tmpdir(), 'chancery-federation-'));
const CONFIG = join(folder, 'chancery.yaml');
let authorities: Authorities;
let rp: Entity;
let organisation: Entity;
let anchor: Entity;

before(async () => {
  authorities = await startAuthorities();
  rp = authorities.entity('rp');
  organisation = authorities.entity('organisation');
  anchor = authorities.entity('anchor');
  rp.publish([organisation], { metadata: { openid_relying_party: { scope: 'openid email' } } });
  organisation.publish([anchor]);
  organisation.vouch(rp);
  anchor.publish([]);
  anchor.vouch(organisation, {
    metadata_policy: { openid_relying_party: { scope: { subset_of: ['openid'] } } },
  });
  writeFileSync(
    CONFIG,
    `
federation:
  enabled: true
  trust-anchors:
    - entity-id: ${anchor.id}
      jwks: ${JSON.stringify({ keys: [anchor.key.jwk] })}
outbound:
  allow-networks: ["127.0.0.0/8"]
  allow-http: true
`,
  );
});

after(async () => {
  await authorities.close();
  rmSync(folder, { recursive: true });
});

async function resolve(...words: readonly string[]): Promise<Ended> {
  return await chancery(['federation', 'resolve', ...words, '--mode', 'development'], {
    CHANCERY_CONFIG: CONFIG,
  });
}

test('federation resolve --verbose prints the chain and every check of the search, with the settings of CHANCERY_CONFIG', async () => {
  const { how, stdout, stderr } = await resolve(rp.id, '--verbose');
  assert.deepEqual([how, stderr], [0, ''], stdout);
  assert.match(stdout, new RegExp(`^${rp.id}: trusted through ${anchor.id} until `));
  assert.match(stdout, /^ {2}scope: "openid"$/m);
  assert.match(
    stdout,
    /scope: "openid"\n {4}↳ subset_of \["openid"\] of \S+\/anchor changed it from \["openid","email"\]\n/,
  );
  assert.match(stdout, /§10\.2 10 ES\[i-1\] is signed by a configured key/);
});

test('federation resolve --json prints the search as JSON, and --svg prints a picture', async () => {
  const { how, stdout } = await resolve(rp.id, '--json', '--anchor', anchor.id);
  assert.equal(how, 0);
  const { chain, search } = JSON.parse(stdout);
  assert.deepEqual(chain.metadata, { openid_relying_party: { scope: 'openid' } });
  assert.equal(search.superiors[0].superiors[0].entity_id, anchor.id);
  const picture = await resolve(rp.id, '--svg');
  assert.match(picture.stdout, /^<svg [^]*<\/svg>\n$/);
});

test('federation resolve of an entity without a chain exits with 1 and prints the reason', async () => {
  const lost = authorities.entity('lost');
  lost.publish([organisation]);
  const { how, stdout } = await resolve(lost.id);
  assert.equal(how, 1);
  assert.match(stdout, /no trust chain[^]*reason: fetch_status: /);
});

const WRONG: readonly (readonly [words: readonly string[], how: number, line: RegExp])[] = [
  [[], 2, /ENTITY is missing/],
  [['rp.example'], 2, /ENTITY is not a URL/],
  [['https://rp.example', '--anchor', 'https://other.example'], 1, /federation\.trust-anchors does not name/],
  [['https://rp.example', '--json', '--svg'], 2, /exclude each other/],
];
for (const [words, code, line] of WRONG) {
  test(`federation resolve ${words.join(' ')} prints one line and exits with ${code}`, async () => {
    const { how, stdout, stderr } = await resolve(...words);
    assert.equal(stdout, '');
    assert.match(stderr, line);
    assert.equal(stderr.trimEnd().split('\n').length, 1);
    assert.equal(how, code);
  });
}

test('a trust anchor with an unusable key is reported with the path of its setting', async () => {
  const { how, stderr } = await chancery(['federation', 'resolve', rp.id, '--mode', 'development'], {
    CHANCERY_CONFIG: CONFIG,
    CHANCERY_FEDERATION_TRUST_ANCHORS: JSON.stringify([
      { 'entity-id': anchor.id, jwks: { keys: [{ kty: 'RSA', kid: 'weak', e: 'AQ', n: 'AQAB' }] } },
    ]),
  });
  assert.equal(how, 1);
  assert.match(stderr, /federation\.trust-anchors\[0\]\.jwks: .*exponent/);
});

test('config check rejects outbound.allow-http in production', async () => {
  const { how, stderr } = await chancery(['config', 'check'], {
    CHANCERY_CONFIG: CONFIG,
    CHANCERY_ISSUER: 'https://op.example.com',
  });
  assert.equal(how, 1);
  assert.match(stderr, /outbound\.allow-http: must be false in production/);
});
