import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { signedJwt, type TestKey, testKey } from '../../src/testing/jwt.ts';
import { type Authorities, type Entity, startAuthorities } from '../federation/authorities.ts';
import { chancery, type Ended } from '../journeys/command.ts';
import { ENCRYPTION_KEY, type Program, startProgram } from '../program/start.ts';
import { storageUrl } from '../program/storage-place.ts';

/** A trust anchor that changes its keys below the started program, and commands beside it (docs/contract/hostile/federation.md). */
let authorities: Authorities;
let anchor: Entity;
let other: Entity;
let rp: Entity;
let program: Program;
let environment: Readonly<Record<string, string>>;
let made = 0;

const NEW = testKey('ES256', 'anchor-2');
const FOREIGN = testKey('ES256', 'nobody');

before(async () => {
  authorities = await startAuthorities();
  [anchor, other, rp] = [authorities.entity('anchor'), authorities.entity('other'), authorities.entity('rp')];
  other.publish([]);
  environment = {
    CHANCERY_ISSUER: 'http://op.localhost',
    CHANCERY_FEDERATION_ENABLED: 'true',
    CHANCERY_FEDERATION_TRUST_ANCHORS: JSON.stringify(
      [anchor, other].map(({ id, key }) => ({ 'entity-id': id, jwks: { keys: [key.jwk] } })),
    ),
    CHANCERY_FEDERATION_STATEMENT_CACHE: '0',
    CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
    CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
  };
  program = await startProgram({ mode: 'dev', environment });
});

after(async () => {
  await program.stop();
  await authorities.close();
});

const now = (): number => Math.floor(Date.now() / 1000);

/** The anchor publishes these keys, and signs with one of them. */
function publish(keys: readonly TestKey[], signer: TestKey, iat = now()): void {
  const { id, name } = anchor;
  const sign = (claims: object): string =>
    signedJwt(signer, { iss: id, iat, exp: iat + 3600, ...claims }, { typ: 'entity-statement+jwt' });
  const metadata = { federation_entity: { federation_fetch_endpoint: `${id}/fetch` } };
  const configuration = sign({ sub: id, jwks: { keys: keys.map(({ jwk }) => jwk) }, metadata });
  authorities.answer(`/${name}/.well-known/openid-federation`, (response) =>
    response.writeHead(200, { 'content-type': 'application/entity-statement+jwt' }).end(configuration),
  );
  authorities.answer(
    `/${name}/fetch?sub=${encodeURIComponent(rp.id)}`,
    sign({ sub: rp.id, jwks: { keys: [rp.key.jwk] } }),
  );
}

async function register(): Promise<string> {
  made += 1;
  const statement = {
    iss: rp.id,
    sub: rp.id,
    iat: now(),
    exp: now() + 3600,
    aud: program.issuer,
    jwks: { keys: [rp.key.jwk] },
    authority_hints: [anchor.id],
    metadata: { openid_relying_party: { redirect_uris: ['https://rp.example/cb'] } },
    number: made,
  };
  const type = 'application/entity-statement+jwt';
  const response = await fetch(`${program.url}/federation/clients`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: signedJwt(rp.key, statement, { typ: 'entity-statement+jwt' }),
  });
  const text = await response.text();
  return response.status === 200 ? '200' : `${response.status} ${/"([a-z_]+): /.exec(text)?.[1] ?? text}`;
}

/** Runs a command beside the server. */
async function anchors(...words: readonly string[]): Promise<Ended> {
  return await command('trust-anchors', ...words, '--tenant', program.tenant);
}

async function command(...words: readonly string[]): Promise<Ended> {
  const { folder } = program;
  const all = {
    ...environment,
    CHANCERY_STORAGE_URL: await storageUrl(folder),
    CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
  };
  return await chancery(['federation', ...words, '--mode', 'development'], all, { folder });
}

/** Accepts what the anchor announces over the administration API, from a machine without settings. */
async function acceptAtServer(...words: readonly string[]): Promise<Ended> {
  const { folder, managementUrl, adminToken } = program;
  const server = ['--server', managementUrl, '--token', adminToken];
  return await chancery(
    ['federation', 'trust-anchors', 'accept', anchor.id, ...words, ...server],
    {},
    { folder },
  );
}

interface ShownAnchor {
  readonly entity_id: string;
  readonly problem: string | null;
  readonly keys: readonly { readonly kid: string; readonly state: string; readonly thumbprint: string }[];
}

const OLD = (): TestKey => anchor.key;

test('a trust anchor rolls its keys at the started program: warning, metric, show, accept, and the new key signs (OpenID Federation 1.0 §11.2)', async () => {
  publish([OLD(), NEW], OLD());
  assert.equal(await register(), '200');
  await program.printed(/announces a key that is not trusted yet/);
  const metrics = await (await fetch(`${program.managementUrl}/metrics`)).text();
  assert.match(metrics, /^chancery_federation_trust_anchor_key_events_total\{event="announced"\} 1$/m);
  const seen = await anchors('show', '--json');
  const [shown] = seen.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ShownAnchor);
  assert.deepEqual(
    [shown?.entity_id, shown?.problem, shown?.keys.map(({ kid, state }) => `${kid} ${state}`)],
    [anchor.id, null, [`${OLD().kid} pinned`, `${NEW.kid} announced`]],
    seen.stderr,
  );
  const thumbprint = shown?.keys[1]?.thumbprint;
  publish([NEW], NEW);
  assert.equal(await register(), '400 chain_anchor_key');
  const another = ['--thumbprint', 'of-another-key'];
  for (const refused of [
    await anchors('accept', anchor.id, ...another),
    await acceptAtServer(...another),
    await acceptAtServer(),
  ]) {
    assert.equal(refused.how, 1);
    assert.ok(refused.stderr.includes(`announces other keys: ${thumbprint}`), refused.stderr);
  }
  const accepted = await anchors('accept', anchor.id, '--thumbprint', thumbprint ?? '');
  assert.deepEqual(
    [accepted.how, accepted.stdout],
    [0, `${NEW.kid} ${thumbprint} is trusted\n`],
    accepted.stderr,
  );
  assert.equal(await register(), '200', 'from the next request on');
  rp.publish([anchor]);
  const resolved = await command('resolve', rp.id);
  assert.deepEqual([resolved.how, resolved.stderr], [0, ''], resolved.stdout);
  publish([NEW], NEW, now() + 1);
  assert.equal((await anchors('show')).how, 0);
  const ended = await acceptAtServer();
  assert.equal(ended.how, 0, ended.stderr);
  assert.match(ended.stdout, /"kid":"anchor-1","state":"withdrawn"/u);
  publish([OLD()], OLD(), now() + 2);
  assert.equal(await register(), '400 chain_anchor_key', 'a key after its end');
});

test('a configuration that no trusted key signed announces nothing, with an older one or with a newer time, and accept refuses (H-440, H-441)', async () => {
  const before = await anchors('show', '--offline', '--json');
  for (const iat of [now(), now() - 100]) {
    publish([NEW, FOREIGN], FOREIGN, iat);
    assert.equal(await register(), '400 chain_anchor_key');
  }
  const refused = await anchors('accept', anchor.id);
  assert.equal(refused.how, 1);
  assert.match(refused.stderr, /is not signed with a trusted key/);
  publish([NEW, FOREIGN], NEW, now() - 100);
  assert.equal(await register(), '200', 'older, and signed by a trusted key');
  assert.equal((await anchors('show', '--offline', '--json')).stdout, before.stdout);
});

test('accept refuses an entity that is no trust anchor of the settings, and reset returns to the keys of the settings (H-443)', async () => {
  const stranger = await anchors('accept', rp.id);
  assert.deepEqual(
    [stranger.how, stranger.stderr],
    [1, `chancery federation trust-anchors accept: federation.trust-anchors does not name ${rp.id}\n`],
  );
  publish([NEW], NEW, now() + 3);
  assert.equal(await register(), '200');
  assert.equal((await anchors('reset', anchor.id)).how, 0);
  assert.equal(await register(), '400 chain_anchor_key');
});
