import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Settings } from '../config/settings.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { TenantId } from '../spec/identifiers.ts';
import type { Tenant } from '../tenant/tenant.ts';
import { openTenantsUpTo, type TenantInService, tenantInService } from './tenant-in-service.ts';

/** Events of the tenants, in order: `+a` opened, `-a` closed. */
interface World {
  readonly events: string[];
  readonly warnings: readonly string[];
  readonly tenants: Readonly<Record<'a' | 'b' | 'c', TenantInService>>;
}

function world(max: number): World {
  const events: string[] = [];
  const warnings: string[] = [];
  const among = openTenantsUpTo(max, () => warnings.push('more'));
  const service = (name: string): TenantInService => {
    const open = async (): Promise<Tenant> => {
      await Promise.resolve();
      events.push(`+${name}`);
      const close = async (): Promise<void> => {
        await Promise.resolve();
        events.push(`-${name}`);
      };
      const site = () => ({ issuerPath: '', endpoints: [], allowedOrigins: [] });
      return { site, close } as unknown as Tenant;
    };
    const id = name as TenantId;
    return tenantInService({ id, settings: {} as Settings, storage: {} as TenantStorage, open, among });
  };
  return { events, warnings, tenants: { a: service('a'), b: service('b'), c: service('c') } };
}

const ISSUER = 'https://op.example.com/a';

test('if two tenants may be open, the third closes the one with the oldest request, whose next request opens it again (ADR 29)', async () => {
  const { events, warnings, tenants } = world(2);
  const { a, b, c } = tenants;
  const first = await a.router(ISSUER);
  await b.router(ISSUER);
  assert.equal(await a.router(ISSUER), first, 'nothing is made anew');
  await c.router(ISSUER);
  assert.deepEqual(events, ['+a', '+b', '+c', '-b']);
  assert.deepEqual(
    [a, b, c].map((each) => each.current() !== undefined),
    [true, false, true],
  );
  await b.router(ISSUER);
  assert.deepEqual(events.slice(4), ['+b', '-a']);
  assert.notEqual(await a.router(ISSUER), first);
  assert.deepEqual(warnings, ['more'], 'it is said once');
  await Promise.all([a, b, c].map(async (each) => await each.close()));
  assert.equal(events.filter((event) => event.startsWith('+')).length, 5);
  assert.equal(events.filter((event) => event.startsWith('-')).length, 5, 'each that was opened is closed');
});

test('a tenant that was closed for good leaves its place to another one; as many as may be are open without a word', async () => {
  const { events, warnings, tenants } = world(2);
  const { a, b, c } = tenants;
  await Promise.all([a.router(ISSUER), b.router(ISSUER)]);
  await a.close();
  await c.router(ISSUER);
  assert.deepEqual(events.slice(2), ['-a', '+c']);
  assert.deepEqual(warnings, []);
});

test('a tenant that is closed while it is opened takes no place', async () => {
  const { tenants, warnings } = world(1);
  const { a, b } = tenants;
  const opening = a.opened();
  await Promise.all([a.close(), opening]);
  await b.router(ISSUER);
  assert.deepEqual(warnings, []);
});
