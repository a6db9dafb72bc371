import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertProblem,
  type OperationRequest,
  testAdminDryRun,
  testAdminOperation,
} from '../../../testing/admin-operations.ts';
import type { Answer, TestRequest } from '../../../testing/exchange.ts';
import { sharedKeys } from '../../../testing/platform.ts';
import { ADMIN, START, type TestTenant, testTenant } from '../../../testing/tenant.ts';

async function importedKeys(): Promise<TestRequest> {
  const key = await KEY_MAKER.makePrivateKey('P-256');
  return { json: { jwks: { keys: [{ ...key, kid: 'brought', use: 'sig', alg: 'ES256' }] } } };
}

interface Key {
  readonly kid: string;
  readonly use: string;
  readonly state: string;
}

const KEY_MAKER = sharedKeys();

const itemsOf = ({ json }: Answer): readonly Key[] => json['items'] as readonly Key[];

async function keysOf(tenant: TestTenant): Promise<readonly Key[]> {
  return itemsOf(await tenant.send('admin-key-list', { bearer: ADMIN }));
}

const firstKey: OperationRequest = async (tenant) => ({
  segments: { kid: (await keysOf(tenant))[0]?.kid ?? '' },
});

testAdminOperation('admin-key-list', () => ({}));
testAdminOperation('admin-key-read', firstKey);
testAdminOperation('admin-key-revoke', firstKey);
testAdminOperation('admin-removed-key-list', () => ({}));
testAdminOperation('admin-key-rotate', () => ({ json: { use: 'sig' } }));
testAdminOperation('admin-key-import', importedKeys);
testAdminDryRun('admin-key-rotate', () => ({ json: {} }), keysOf);
testAdminDryRun('admin-key-import', importedKeys, keysOf);
testAdminDryRun('admin-key-revoke', firstKey, keysOf);

test('200: GET /admin/v1/keys has each key with its state, its times in RFC 3339 and its public half only', async () => {
  const tenant = testTenant();
  const keys = await keysOf(tenant);
  assert.ok(keys.length > 3);
  for (const key of keys) {
    assert.deepEqual(Object.keys(key), [
      'kid',
      'use',
      'kind',
      'state',
      'jwk',
      'active_at',
      'retired_at',
      'removed_at',
    ]);
    assert.deepEqual(
      Object.keys((key as unknown as { jwk: object }).jwk).filter((name) => name === 'd'),
      [],
    );
    assert.equal(
      (key as unknown as { active_at: string }).active_at,
      new Date(START * 1000).toISOString().replace('.000', ''),
    );
  }
});

test('200: GET /admin/v1/keys in pages of two has every key once, and a cursor belongs to its list', async () => {
  const tenant = testTenant();
  const all = await keysOf(tenant);
  const seen: Key[] = [];
  let cursor: unknown;
  do {
    const query = typeof cursor === 'string' ? `limit=2&cursor=${cursor}` : 'limit=2';
    const page = await tenant.send('admin-key-list', { bearer: ADMIN, query });
    seen.push(...itemsOf(page));
    cursor = page.json['next'];
  } while (cursor !== undefined);
  assert.deepEqual(seen, all);
  for (const query of [
    'cursor=x',
    'cursor=',
    `cursor=${'A'.repeat(40)}`,
    'limit=0',
    'limit=201',
    'limit=1e1',
  ]) {
    const answered = await tenant.send('admin-key-list', { bearer: ADMIN, query });
    if (query === 'cursor=') assert.equal(answered.status, 200);
    else assertProblem(answered, 400, 'invalid_parameter');
  }
});

test('200: fields chooses members of the items, and an unknown one is refused with the known ones', async () => {
  const tenant = testTenant();
  const [key] = itemsOf(await tenant.send('admin-key-list', { bearer: ADMIN, query: 'fields=kid,use' }));
  assert.deepEqual(Object.keys(key ?? {}), ['kid', 'use']);
  const refused = await tenant.send('admin-key-list', { bearer: ADMIN, query: 'fields=kid,secret' });
  assertProblem(refused, 400, 'invalid_parameter', /^fields must name members of the item: kid, use, kind, /);
});

test('204: POST /admin/v1/keys/{kid}/revoke removes the key at once, and the audit has its actor', async () => {
  const tenant = testTenant();
  const [key] = await keysOf(tenant);
  const segments = { kid: key?.kid ?? '' };
  assert.equal((await tenant.send('admin-key-revoke', { bearer: ADMIN, segments })).status, 204);
  assert.equal(
    (await keysOf(tenant)).some(({ kid }) => kid === key?.kid),
    false,
  );
  const [event] = await tenant.unwatched.audit.page(0, 10);
  assert.deepEqual(
    [event?.action, event?.actor, event?.outcome, event?.detail],
    ['server-key.revoke', 'admin:break-glass:break', 'done', key?.kid],
  );
});

test('a key that is not there: 404 with problem details', async () => {
  const tenant = testTenant();
  for (const name of ['admin-key-read', 'admin-key-revoke'])
    for (const segment of ['nothing', '%zz', '%'])
      assertProblem(
        await tenant.send(name, { bearer: ADMIN, rawSegments: { kid: segment } }),
        404,
        'not_found',
      );
});

test('a configured key cannot be revoked: 409, because the setting would bring it back', async () => {
  const generated = testTenant();
  await generated.opened();
  const { d: _, ...publicKey } = await generated.platform.jose.keyMaker.makePrivateKey('P-256');
  const own = await generated.platform.jose.keyMaker.makePrivateKey('RSA-2048');
  const jwks = {
    keys: [
      { ...own, kid: 'own', use: 'sig' },
      { ...publicKey, kid: 'other', use: 'sig' },
    ],
  };
  const tenant = testTenant({ settings: { 'keys.jwk-set': JSON.stringify(jwks) } });
  const request = { bearer: ADMIN, segments: { kid: 'own' } };
  assertProblem(await tenant.send('admin-key-revoke', request), 409, 'conflict', /keys\.jwk-set/);
});

test('200: POST /admin/v1/keys/rotate announces successors as its dry run says, and now lets them sign at once', async () => {
  const tenant = testTenant();
  const json = { use: 'sig', kind: 'P-256' };
  const preview = await tenant.send('admin-key-rotate', { bearer: ADMIN, json, query: 'dry_run=true' });
  const planned = preview.json['result'] as {
    readonly rotated: readonly Readonly<Record<string, unknown>>[];
  };
  const done = await tenant.send('admin-key-rotate', {
    bearer: ADMIN,
    json,
    headers: { 'audit-reason': 'the yearly change', 'user-agent': 'curl' },
  });
  const [rotated] = done.json['rotated'] as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual({ ...rotated, kid: null }, planned.rotated[0]);
  assert.equal(rotated?.['change'], 'announced');
  const [event] = await tenant.unwatched.audit.page(0, 10);
  assert.deepEqual(
    [event?.action, event?.actor, event?.reason, event?.detail, event?.user_agent],
    ['server-key.announce', 'admin:break-glass:break', 'the yearly change', rotated['kid'], 'curl'],
  );
  const announced = await tenant.send('admin-key-list', { bearer: ADMIN, query: 'state=announced&use=sig' });
  assert.deepEqual(
    itemsOf(announced).map(({ kid }) => kid),
    [rotated['kid']],
  );
  const again = await tenant.send('admin-key-rotate', { bearer: ADMIN, json, query: 'dry_run=true' });
  assert.deepEqual(
    (again.json['result'] as typeof planned).rotated.map(({ change }) => change),
    ['known'],
  );
  const now = await tenant.send('admin-key-rotate', { bearer: ADMIN, json: { ...json, now: true } });
  assert.deepEqual(
    (now.json as unknown as typeof planned).rotated.map(({ change }) => change),
    ['activated'],
  );
  const none = await tenant.send('admin-key-rotate', {
    bearer: ADMIN,
    json: { use: 'enc', kind: 'Ed25519' },
  });
  assertProblem(none, 409, 'conflict', /no such key/);
  const wrong = await tenant.send('admin-key-rotate', { bearer: ADMIN, json: { use: 'mac', now: 'yes' } });
  assertProblem(
    wrong,
    400,
    'invalid_body',
    /^\/use must be one of sig, enc, federation; \/now must be true or false$/,
  );
});

test('200: POST /admin/v1/keys/import takes a key over, and a removed key never returns', async () => {
  const tenant = testTenant();
  const request = { ...(await importedKeys()), bearer: ADMIN };
  const first = await tenant.send('admin-key-import', request);
  const outcomes = ({ json }: Answer): readonly unknown[] =>
    (json['imported'] as readonly { readonly outcome: string }[]).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes(first), ['announced']);
  assert.ok(!first.body.includes('"d"'));
  assert.deepEqual(outcomes(await tenant.send('admin-key-import', request)), ['known']);
  assert.equal(
    (await tenant.send('admin-key-revoke', { bearer: ADMIN, segments: { kid: 'brought' } })).status,
    204,
  );
  assert.deepEqual(outcomes(await tenant.send('admin-key-import', request)), ['removed']);
  const removed = await tenant.send('admin-removed-key-list', { bearer: ADMIN });
  assert.deepEqual(
    itemsOf(removed).map(({ kid }) => kid),
    ['brought'],
  );
  for (const jwks of [{}, { keys: 1 }, { keys: [{ kty: 'oct', k: 'AAAA' }] }])
    assertProblem(
      await tenant.send('admin-key-import', { bearer: ADMIN, json: { jwks } }),
      400,
      'invalid_body',
      /^\/jwks is refused: /,
    );
});
