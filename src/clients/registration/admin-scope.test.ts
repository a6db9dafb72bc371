import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OAuthError } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { registerAsOperator } from '../../testing/administration.ts';
import { aDocument, CLIENT_URL, codeFor, documentWorld } from '../../testing/client-documents.ts';
import { assertError } from '../../testing/exchange.ts';
import {
  type ClientInformation,
  MASTER,
  SERVICE,
  type TestTenant,
  testTenant,
} from '../../testing/tenant.ts';
import { exportedRegistration } from '../export-import/export-clients.ts';
import { readImportedClient } from '../export-import/imported-client.ts';
import { registeredScope } from '../registered-client.ts';
import { requireAdminScopeOf } from './admin-scope.ts';

/** The administration of clients and accounts, for a client that acts for itself. */
const ADMIN = { ...SERVICE, scope: 'read admin:clients:write admin:accounts' };

/** The scope of the token that a client gets without asking for any. */
async function ownScope(tenant: TestTenant, client: ClientInformation): Promise<unknown> {
  const answered = await tenant.send('token', {
    basic: [client.client_id, client.client_secret],
    form: { grant_type: 'client_credentials' },
  });
  assert.equal(answered.status, 200, answered.body);
  return answered.json['scope'];
}

test('a client that the operator registered for admin: scope gets it with client_credentials (ADR 79)', async () => {
  const tenant = testTenant();
  const client = await registerAsOperator(tenant, ADMIN);
  assert.equal(await ownScope(tenant, client), ADMIN.scope);
});

test('H-530: POST /clients registers no admin: scope for a master token or an initial access token of any scope: 400', async () => {
  const tenant = testTenant();
  const wide = await tenant.initialToken('client-reg');
  const named = await tenant.initialToken('client-reg:grant:client', 'client-reg:scope:admin:accounts');
  for (const bearer of [MASTER, wide, named]) {
    const json = { ...SERVICE, scope: 'admin:accounts' };
    const refused = await tenant.send('client-registration', { bearer, json });
    assertError(
      refused,
      'invalid_client_metadata',
      /scope 'admin:accounts' is registered only by the operator/,
    );
  }
  const without = await tenant.send('client-registration', { bearer: named, json: SERVICE });
  assert.equal(without.status, 200, without.body);
  assert.equal(without.json['scope'], undefined, 'not as a default scope either');
});

test('H-530: open registration gives no admin: scope, although the settings name it', async () => {
  const tenant = testTenant({
    settings: {
      'registration.allow-open-registration': true,
      'registration.open-scope-values': ['openid', 'admin:accounts'],
    },
  });
  const json = { redirect_uris: ['https://client.example/cb'], scope: 'openid admin:accounts' };
  assertError(await tenant.send('client-registration', { json }), 'invalid_client_metadata', /operator/);
  const { scope: _, ...unscoped } = json;
  const registered = await tenant.send('client-registration', { json: unscoped });
  assert.equal(registered.json['scope'], 'openid');
});

test('H-530: a metadata document gives its client no admin: scope, although the settings name it', async () => {
  const { tenant, ada } = await documentWorld(aDocument({ scope: 'openid admin:accounts' }), {
    'registration.open-scope-values': ['openid', 'admin:accounts'],
  });
  await codeFor(ada);
  const stored = await tenant.storage.clients.find(CLIENT_URL as ClientId);
  assert.ok(stored);
  assert.deepEqual(registeredScope(stored), ['openid']);
});

test('H-531: a client keeps its admin: scope over PUT /clients/{id}, and gets no more', async () => {
  const tenant = testTenant();
  const client = await registerAsOperator(tenant, ADMIN);
  const json = { ...ADMIN, scope: `${ADMIN.scope} admin:keys` };
  const byMaster = await tenant.send('client-update', { bearer: MASTER, id: client.client_id, json });
  assertError(byMaster, 'invalid_client_metadata', /admin:keys/);
  const own = { bearer: client.registration_access_token, id: client.client_id, json };
  assertError(await tenant.send('client-update', own), 'insufficient_scope', /admin:keys/);
  const kept = await tenant.send('client-update', { bearer: MASTER, id: client.client_id, json: ADMIN });
  assert.equal(kept.status, 200, kept.body);
  const now = { ...client, client_secret: String(kept.json['client_secret']) };
  assert.equal(await ownScope(tenant, now), ADMIN.scope);
});

test('H-531: admin: scope that stands in the metadata of a client from before does not count', async () => {
  const tenant = testTenant();
  const client = await tenant.register({ ...SERVICE, scope: 'read' });
  const stored = await tenant.storage.clients.find(client.client_id as ClientId);
  assert.ok(stored);
  const metadata = JSON.stringify({ ...JSON.parse(stored.metadata), scope: ADMIN.scope });
  const event = { at: 0, action: 'client.update', outcome: 'done', actor: 'x', client_id: null } as const;
  await tenant.storage.clients.replace({ ...stored, version: 2, metadata }, 1, {
    ...event,
    request_id: 'test',
    detail: null,
  });
  assert.equal(await ownScope(tenant, client), 'read');
});

test('a value that the administration does not know is refused for the operator too, with the nearest one', async () => {
  const refused = registerAsOperator(testTenant(), { ...SERVICE, scope: 'admin:acounts' });
  await assert.rejects(refused, /scope 'admin:acounts' is no scope value .* did you mean admin:accounts\?/);
});

test('an export keeps the right to admin: scope', async () => {
  const tenant = testTenant();
  const { client_id } = await registerAsOperator(tenant, ADMIN);
  const needs = await tenant.registry();
  const stored = await tenant.storage.clients.find(client_id as ClientId);
  assert.ok(stored);
  const { privileges } = readImportedClient(needs, Buffer.from(exportedRegistration(needs, stored)));
  assert.deepEqual(privileges.admin_scope, ['admin:clients:write', 'admin:accounts']);
});

test('a caller acts only on clients that hold no more of the administration than it holds', async () => {
  const tenant = testTenant();
  const { client_id } = await registerAsOperator(tenant, ADMIN);
  const stored = await tenant.storage.clients.find(client_id as ClientId);
  assert.ok(stored);
  requireAdminScopeOf(stored, 'any');
  requireAdminScopeOf(stored, ['admin:clients:write', 'admin:accounts']);
  assert.throws(
    () => requireAdminScopeOf(stored, ['admin:clients:write', 'admin:accounts:read']),
    (error) => error instanceof OAuthError && error.notes.values?.['scope'] === 'admin:accounts',
  );
});
