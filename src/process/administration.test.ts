import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '../endpoints/contract.ts';
import { buildRouter, type Router } from '../http/router.ts';
import { findAmongTenants, type Tenancy } from '../http/tenancy.ts';
import { tenantNames } from '../http/tenant-names.ts';
import { DEFAULT_TENANT, type TenantId } from '../spec/identifiers.ts';
import { testTenant } from '../testing/tenant.ts';
import { managementTenancy, tenancyByHeaders } from './administration.ts';

const FIRST = 'https://op.example.com/c2';
const OTHER = 'https://acme.example.com';

const [endpoint = assert.fail()] = (await testTenant().managementSite()).endpoints;
const PATH = '/admin/v1/keys';

function routerOf(tenant: string): Router {
  const here: Endpoint = { ...endpoint, contract: { ...endpoint.contract, method: 'GET', path: PATH } };
  return buildRouter([{ tenant, issuerPath: '', endpoints: [here], allowedOrigins: [] }]);
}

/** The tenancy of a management listener. */
function tenancy(others: readonly string[]): Tenancy {
  const names = tenantNames(
    { tenant: DEFAULT_TENANT, issuers: [FIRST] },
    others.map((issuer) => ({ tenant: 'acme' as TenantId, issuers: [issuer] as const })),
  );
  return tenancyByHeaders(
    { names: async () => names, router: async ({ tenant }) => routerOf(tenant) },
    FIRST,
  );
}

async function found(at: Tenancy, headers: Readonly<Record<string, string>>, path = PATH): Promise<unknown> {
  const match = await findAmongTenants(
    at,
    { host: '127.0.0.1:9090', ...headers },
    path,
    true,
    () => 'network',
  );
  return typeof match === 'object' ? match.resource.tenant : match;
}

test('H-504 on the management listener headers alone choose the tenant: without one it is the default tenant, whatever its path', async () => {
  const at = tenancy([OTHER]);
  assert.equal(await found(at, {}), 'default');
  assert.equal(await found(at, { host: 'acme.example.com' }), 'default');
  assert.equal(await found(at, { 'tenant-id': 'acme' }), 'acme');
  assert.equal(await found(at, { issuer: OTHER }), 'acme');
  assert.equal(await found(at, { issuer: OTHER, 'tenant-id': 'default' }), 'contradiction');
});

test('H-504 an unknown tenant is refused also where the default tenant is the only one, so that no change meets the wrong tenant', async () => {
  for (const headers of [{ 'tenant-id': 'acme' }, { issuer: OTHER }, { 'tenant-id': '' }])
    assert.equal(await found(tenancy([]), headers), 'unknown');
  assert.equal(await found(tenancy([]), { 'tenant-id': 'default' }), 'default');
});

test('H-508 a worker serves its supervisor only: without the secret in front of the path nothing is there', async () => {
  const none: Router = { find: () => undefined };
  const at = managementTenancy(none, () => tenancy([OTHER]), '/secret');
  assert.equal(await found(at, {}, `/secret${PATH}`), 'default');
  for (const path of [PATH, `/Secret${PATH}`, `/secre${PATH}`, `/x${PATH}`])
    assert.equal(await found(at, {}, path), undefined, path);
});

test('the administration cannot be found before the service has started, and health can', async () => {
  const health = routerOf('health');
  const at = managementTenancy(health, () => undefined, '');
  assert.ok(at.own?.find(PATH));
  await assert.rejects(at.names(), /the service has not started/);
});
