import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, suite, test } from 'node:test';
import { TILL } from '../../src/testing/backchannel.ts';
import { TELEVISION } from '../../src/testing/device.ts';
import { developer } from '../program/developer.ts';
import { type Program, startProgram } from '../program/start.ts';
import { administer, assertCalm, DESK, LOOKS, type Visitor, visit } from './console-visitor.ts';

const CLIENT = 'paper-clips';
const METADATA = {
  client_name: 'Paper Clips',
  redirect_uris: ['https://clips.example.com/callback'],
  scope: 'openid profile',
};

const REQUESTS_MAX = 3;

suite('the work of an operator at the console', () => {
  let program: Program;
  let admin: Visitor;

  before(async () => {
    const environment = {
      CHANCERY_OPENAPI_ENABLED: 'false',
      CHANCERY_SIGNALS_ENABLED: 'true',
      CHANCERY_CIBA_ENABLED: 'true',
      CHANCERY_AUTHORIZATION_DETAILS_TYPES: '[{"type":"payment_initiation","schema":{}}]',
    };
    program = await startProgram({ mode: 'dev', environment });
    await administer(program, '/clients', {
      method: 'POST',
      json: { client_id: CLIENT, metadata: METADATA },
    });
    admin = await visit(program);
  });
  after(async () => {
    await admin.browser.close();
    await program.stop();
  });

  const versionOf = async (): Promise<Readonly<Record<string, unknown>>> => {
    const { metadata } = await administer(program, `/clients/${CLIENT}`);
    return metadata as Readonly<Record<string, unknown>>;
  };

  test('the keyboard alone opens a client, changes it, saves and undoes it', async () => {
    const { page } = admin;
    await admin.go(`#/clients/${CLIENT}/metadata`);
    await page.getByLabel('Name', { exact: true }).focus();
    await page.keyboard.press('End');
    await page.keyboard.type(' Ltd');
    await page.locator('.diff').waitFor();
    await page.getByRole('button', { name: 'Save' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Reason').fill('new name of the firm');
    await page.keyboard.press('Enter');
    await page.getByText('The client is saved').waitFor();
    assert.equal((await versionOf())['client_name'], 'Paper Clips Ltd');
    const { items } = await administer(program, `/audit?client_id=${CLIENT}&action=client.update`);
    assert.equal((items as readonly { reason: string }[])[0]?.reason, 'new name of the firm');
    await page.getByRole('button', { name: 'Undo' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Undone').waitFor();
    assert.equal((await versionOf())['client_name'], 'Paper Clips');
  });

  test('a mistake is shown at its field before anything is stored', async () => {
    const { page } = admin;
    await admin.go(`#/clients/${CLIENT}/metadata`);
    await page.getByLabel('Redirect URIs').fill('http://clips.example.com/callback');
    const field = page.getByLabel('Redirect URIs');
    await page.locator('textarea[aria-invalid=true]').waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    assert.equal(await page.getByRole('button', { name: 'Save' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Discard' }).click();
    assert.deepEqual((await versionOf())['redirect_uris'], METADATA.redirect_uris);
  });

  test('the page of a client says why the token endpoint refused it, in at most three requests', async () => {
    const refused = await fetch(`${program.url}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${CLIENT}:wrong`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    assert.equal(refused.status, 401);
    await assertCalm(admin, `#/clients/${CLIENT}/refusals`, DESK);
    const row = admin.page.locator('tbody tr', { hasText: 'invalid_client' });
    await row.getByText('token', { exact: true }).waitFor();
  });

  test('the page of a gateway shows the details that it may ask for, its exchanges, and its streams, which an operator pauses and enables', async () => {
    const [client_id, client_secret] = ['gateway', 'a secret of the gateway, 32 octets'];
    const metadata = {
      grant_types: ['client_credentials', 'urn:ietf:params:oauth:grant-type:token-exchange'],
      scope: 'ssf.manage',
      authorization_details_types: ['payment_initiation'],
      chancery_token_exchange: { audiences: ['https://orders.example'], impersonation: true },
    };
    await administer(program, '/clients', { method: 'POST', json: { client_id, client_secret, metadata } });
    const granted = await fetch(`${program.url}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${client_id}:${encodeURIComponent(client_secret)}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'ssf.manage' }),
    });
    const { access_token } = (await granted.json()) as Readonly<Record<string, string>>;
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
    const made = await fetch(`${program.url}/ssf/streams`, { method: 'POST', headers, body: '{}' });
    const { stream_id } = (await made.json()) as Readonly<Record<string, string>>;
    const { page } = admin;
    await admin.go(`#/clients/${client_id}`);
    for (const words of ['payment_initiation', 'https://orders.example', 'Token exchange'])
      await page.getByText(words).first().waitFor();
    await assertCalm(admin, `#/clients/${client_id}/streams`, DESK);
    const shown = page.locator('.card', { hasText: stream_id ?? assert.fail(`${made.status}`) });
    for (const [act, status] of [
      ['Pause', 'Paused'],
      ['Enable', 'Enabled'],
    ] as const) {
      await shown.getByRole('button', { name: act }).click();
      await page.getByRole('dialog').getByRole('button', { name: act }).click();
      await shown.locator('.badge', { hasText: status }).waitFor();
      assert.equal(
        (await administer(program, `/event-streams/${stream_id}`))['status'],
        status.toLowerCase(),
      );
    }
  });

  test('an operator sees which clients and devices wait for a person, refuses them, and reads what a client lacks for FAPI 2.0', async () => {
    const ask = async (path: string, form: Readonly<Record<string, string>>): Promise<void> => {
      const begun = await fetch(program.issuer + path, { method: 'POST', body: new URLSearchParams(form) });
      assert.equal(begun.status, 200, await begun.text());
    };
    for (const [client_id, client_secret, metadata] of [
      ['till', 'a secret of the till, with 32 octets', TILL],
      ['television', undefined, TELEVISION],
    ] as const)
      await administer(program, '/clients', { method: 'POST', json: { client_id, client_secret, metadata } });
    await ask('/backchannel_authentication', {
      client_id: 'till',
      client_secret: 'a secret of the till, with 32 octets',
      scope: 'openid',
      login_hint: (await developer(program)).username,
      binding_message: 'Order 4711',
    });
    await ask('/device_authorization', { client_id: 'television', scope: 'films' });
    const { page } = admin;
    for (const look of LOOKS) {
      await page.setViewportSize(look.viewport);
      await page.emulateMedia({ colorScheme: look.colorScheme });
      for (const place of ['requests', 'requests/devices', 'clients?show=fapi', 'clients/till/fapi'])
        await assertCalm(admin, `#/${place}`, look);
    }
    await page.setViewportSize(DESK.viewport);
    await page.getByText('set dpop_bound_access_tokens to true').waitFor();
    for (const [place, words] of [
      ['requests', 'Order 4711'],
      ['requests/devices', 'films'],
    ] as const) {
      await admin.go(`#/${place}`);
      const row = page.locator('tbody tr', { hasText: words });
      await row.getByRole('button', { name: 'Refuse' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click();
      await row.getByText('refused', { exact: true }).waitFor();
      assert.equal(await row.getByRole('button', { name: 'Refuse' }).count(), 0);
    }
    for (const path of ['/backchannel-requests', '/device-authorizations']) {
      const { items } = await administer(program, path);
      assert.deepEqual(
        (items as readonly { readonly state: string }[]).map(({ state }) => state),
        ['denied'],
      );
    }
  });

  test('a deleted client comes back by the undo beside the message', async () => {
    const { page } = admin;
    await administer(program, '/clients', {
      method: 'POST',
      json: { client_id: 'short-lived', metadata: METADATA },
    });
    await admin.go('#/clients/short-lived');
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    const gone = page.locator('.toast', { hasText: 'The client is deleted' });
    await gone.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'Paper Clips' }).waitFor();
    await administer(program, '/clients/short-lived');
  });

  test('a list of 100,000 clients is searched on the server, and each page has 50 (keycloak/keycloak#34714)', async () => {
    // The server fills its lists at the first search; copies stand in them already.
    await administer(program, '/clients?name=paper');
    manyClients(program, CLIENT, 100_000);
    const { page } = admin;
    admin.requests.length = 0;
    await admin.go('#/clients?sort=client_id');
    await page.locator('.list tbody tr').nth(49).waitFor();
    assert.equal(await page.locator('.list tbody tr').count(), 50);
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('mass 077123');
    await page.getByRole('link', { name: 'mass 077123' }).waitFor();
    assert.equal(await page.locator('.list tbody tr').count(), 1);
    const asked = admin.requests.map((request) => request.url()).filter((url) => url.includes('/admin/'));
    assert.ok(asked.length <= REQUESTS_MAX, asked.join(', '));
  });
});

/** Copies a client `count` times beside the server, as its own writes would store the copies. */
function manyClients(program: Program, of: string, count: number): void {
  const database = new DatabaseSync(join(program.folder, 'chancery.db'), { timeout: 10_000 });
  try {
    database.exec('BEGIN IMMEDIATE');
    for (const table of ['client', 'client_entry', 'client_term']) copied(database, table, of, count);
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

function copied(database: DatabaseSync, table: string, of: string, count: number): void {
  const columns = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
  const number = "printf('%06d', n)";
  const values: Readonly<Record<string, string>> = {
    client_id: `'mass-' || ${number}`,
    instance: `'mass' || ${number}`,
    registration_token_digest: `'mass' || ${number}`,
    name: `'mass ' || ${number}`,
    metadata: `json_set(metadata, '$.client_name', 'mass ' || ${number})`,
  };
  const names = columns.map(({ name }) => String(name));
  database
    .prepare(
      `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
       INSERT INTO ${table} (${names.join(', ')})
       SELECT ${names.map((name) => values[name] ?? name).join(', ')} FROM number, ${table} WHERE client_id = ?`,
    )
    .run(count, of);
}
