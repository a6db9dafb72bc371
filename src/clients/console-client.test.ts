import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN_SCOPES } from '../spec/admin-scopes.ts';
import { CONSOLE_CLIENT_ID } from '../spec/identifiers.ts';
import { aPerson } from '../testing/person.ts';
import { MASTER, type TestTenant, testTenant } from '../testing/tenant.ts';
import { currentConsoleClient } from './console-client.ts';

const URL_OF_CONSOLE = 'https://ops.example.com/console/';
const SETTINGS = { 'console.enabled': true, 'console.url': URL_OF_CONSOLE } as const;
const CONSOLE = { client_id: CONSOLE_CLIENT_ID } as never;
const REQUEST = { redirect_uri: URL_OF_CONSOLE, response_mode: 'fragment', scope: undefined };

const idOf = async (tenant: TestTenant): Promise<readonly unknown[]> => {
  const { json } = await tenant.send('client-read', { bearer: MASTER, id: CONSOLE_CLIENT_ID });
  return [json['redirect_uris'], json['client_name']];
};

test('a sign-in of the console makes its client, and asks for no consent (docs/operate/console.md)', async () => {
  const tenant = testTenant({ settings: SETTINGS });
  const ada = await aPerson(tenant);
  const page = await ada.ask(CONSOLE, REQUEST);
  const answered = await ada.signIn(page);
  assert.match(answered.location ?? '', /^https:\/\/ops\.example\.com\/console\/#code=/u);
  assert.deepEqual(await idOf(tenant), [[URL_OF_CONSOLE], 'Chancery console']);
});

test('a sign-in of the console undoes what an edit of its client changed', async () => {
  const tenant = testTenant({ settings: SETTINGS });
  const ada = await aPerson(tenant);
  await ada.ask(CONSOLE, REQUEST);
  const edited = await tenant.send('client-update', {
    bearer: MASTER,
    id: CONSOLE_CLIENT_ID,
    json: { redirect_uris: ['https://evil.example/cb'], client_name: 'Mine' },
  });
  assert.equal(edited.status, 200);
  await ada.ask(CONSOLE, REQUEST);
  assert.deepEqual(await idOf(tenant), [[URL_OF_CONSOLE], 'Chancery console']);
});

test('no registration can choose the identifier of the console', async () => {
  const tenant = testTenant({ settings: SETTINGS });
  const { status, json } = await tenant.send('client-registration', {
    bearer: MASTER,
    json: { redirect_uris: ['https://a.example/cb'], preferred_client_id: CONSOLE_CLIENT_ID },
  });
  assert.deepEqual([status, json['error']], [400, 'invalid_client_metadata']);
});

test('where the console is off, its client is unknown, also one that was there before', async () => {
  const tenant = testTenant();
  const ada = await aPerson(tenant);
  const page = await ada.ask(CONSOLE, REQUEST);
  assert.equal(page.status, 400);
  const { status } = await tenant.send('client-read', { bearer: MASTER, id: CONSOLE_CLIENT_ID });
  assert.equal(status, 404);
});

test('many sign-ins that begin together make one client of the console', async () => {
  const tenant = testTenant({ settings: SETTINGS });
  const registry = await tenant.registry();
  const needs = { registry, url: URL_OF_CONSOLE, scope: ADMIN_SCOPES };
  const made = await Promise.all(Array.from({ length: 20 }, async () => await currentConsoleClient(needs)));
  assert.equal(new Set(made.map((client) => client?.instance)).size, 1);
});
