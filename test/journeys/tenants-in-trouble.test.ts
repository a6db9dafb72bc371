import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KeyId, Sealed, TenantId } from '../../src/spec/identifiers.ts';
import { addTenant } from '../../src/testing/storage/add-tenant.ts';
import { type Program, startProgram } from '../program/start.ts';
import { openProgramStorage } from '../program/storage-place.ts';

/** Three tenants, one of them valid, behind a proxy that is not part of the test. */
let program: Program;

before(async () => {
  program = await startProgram({ environment: { CHANCERY_LISTEN_TRUSTED_PROXIES: '192.0.2.0/24' } });
  const storage = await openProgramStorage(program.folder);
  for (const [id, settings] of [
    ['good', {}],
    ['unkeyed', {}],
    ['unset', { 'access-token.lifetime': 0 }],
  ] as const) {
    await addTenant(storage, { id, issuer: `${program.issuer}/${id}`, settings });
  }
  const [key] = await storage.forTenant('default' as TenantId).serverKeys.all();
  assert.ok(key);
  const foreign = { ...key, kid: 'foreign' as KeyId, sealed_jwk: 'x.y' as Sealed };
  await storage.forTenant('unkeyed' as TenantId).serverKeys.addFirst([foreign]);
  await storage.close();
});
after(() => program.stop());

const DISCOVERY = '/.well-known/openid-configuration';
const get = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  await fetch(`${program.url}${path}`, { headers });

test('a tenant that cannot be opened answers 500 without body, one with bad settings 404, and the others go on', async () => {
  const statuses = await Promise.all(
    ['/unkeyed', '/unset', '/good', '', '/unkeyed'].map(async (path) => {
      const answer = await get(`${path}${DISCOVERY}`);
      if (answer.status !== 200) assert.equal(await answer.text(), '');
      return answer.status;
    }),
  );
  assert.deepEqual(statuses, [500, 404, 200, 200, 500]);
  await program.printed(/"tenant":"unset".*access-token\.lifetime: must be an integer/);
});

test('Issuer and Tenant-ID are ignored from callers that are not trusted proxies (decision 38)', async () => {
  for (const headers of [
    { 'tenant-id': 'good' },
    { issuer: `${program.issuer}/good` },
    { 'tenant-id': 'x' },
  ]) {
    const answer = await get(DISCOVERY, headers);
    assert.equal(answer.status, 200);
    const { issuer } = (await answer.json()) as { readonly issuer: string };
    assert.equal(issuer, program.issuer);
  }
});
