import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { TenantId } from '../../src/spec/identifiers.ts';
import { type Program, startProgram } from '../program/start.ts';
import { openProgramStorage } from '../program/storage-place.ts';
import {
  type Account,
  administer,
  assertCalm,
  HOSTILE,
  type Look,
  PASSWORD,
  settled,
  type Visitor,
  visit,
} from './console-visitor.ts';

/** zitadel#11121, keycloak#20453: consoles that become slow with thousands. */
const TENANTS = 2_000;
const AT_ONCE = 100;
const PAGE = 50;
const REQUESTS_MAX = 3;
const OPERATOR: Account = { username: 'operator', password: PASSWORD };
const LOOK: Look = {
  words: 'with many tenants',
  viewport: { width: 1280, height: 800 },
  colorScheme: 'light',
};

const idOf = (number: number): string => `customer-${String(number).padStart(4, '0')}`;
const issuerOf = (number: number): string => `https://${idOf(number)}.example.com`;

async function manyTenants(folder: string): Promise<void> {
  const storage = await openProgramStorage(folder);
  for (let start = 0; start < TENANTS; start += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, index) => {
        const id = idOf(start + index) as TenantId;
        const issuer = issuerOf(start + index);
        const event = {
          at: 1,
          action: 'tenant.create',
          outcome: 'done',
          actor: 'test',
          client_id: null,
          request_id: 'test',
          detail: issuer,
        } as const;
        const tenant = {
          id,
          version: 1,
          issuer,
          aliases: [],
          settings: '{}',
          owner: null,
          created_at: 1,
          disabled_at: null,
          deleted_at: null,
        };
        assert.equal(await storage.tenants.create(tenant, event), 'created');
      }),
    );
  await storage.close();
}

suite('tenants in the console', () => {
  let program: Program;
  let admin: Visitor;
  before(async () => {
    program = await startProgram({ mode: 'dev' });
    await manyTenants(program.folder);
    admin = await visit(program);
  });
  after(async () => {
    await admin.browser.close();
    await program.stop();
  });

  /** The requests to the administration since the last call, as paths with the tenant that they name. */
  const asked = (): readonly string[] =>
    admin.requests.splice(0).flatMap((request) => {
      const { pathname } = new URL(request.url());
      const tenant = request.headers()['tenant-id'];
      return pathname.startsWith('/admin/') ? [`${pathname} of ${tenant ?? 'default'}`] : [];
    });

  test(`a list of ${TENANTS} tenants comes in pages of ${PAGE}, and the server searches it: one request each (keycloak#20453)`, async () => {
    const { page } = admin;
    await assertCalm(admin, '#/tenants', LOOK);
    assert.equal(await page.locator('.list tbody tr').count(), PAGE);
    assert.deepEqual(asked(), ['/admin/v1/tenants of default']);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('link', { name: idOf(PAGE), exact: true }).waitFor();
    assert.deepEqual(asked(), ['/admin/v1/tenants of default']);
    await page.getByRole('searchbox').fill('CUSTOMER-1777.');
    await page.getByRole('link', { name: idOf(1777), exact: true }).waitFor();
    await page.getByText('1 entry').waitFor();
  });

  test('the switch finds a tenant among all, and every page then is about that one, after a reload too (keycloak-ui#2508)', async () => {
    const { page } = admin;
    await admin.go('#/clients');
    await page.getByRole('button', { name: /^Tenant/u }).click();
    await page.getByRole('dialog').getByRole('searchbox').fill('-1998');
    await page.getByRole('button', { name: idOf(1998) }).click();
    await page.getByText('There are no clients yet').waitFor();
    await settled(page);
    asked();
    await admin.go(`#/@${idOf(1998)}/keys`);
    await page.getByRole('table').waitFor();
    const keys = asked();
    assert.ok(keys.length > 0 && keys.length <= REQUESTS_MAX, keys.join(' '));
    for (const one of keys) assert.match(one, /of customer-1998$/u);
    await page.reload();
    await page.getByRole('table').waitFor();
    await page.getByRole('link', { name: 'Clients' }).click();
    await page.getByRole('button', { name: 'New client' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Only of this tenant');
    await page.getByLabel('Redirect URIs').fill('https://rp.example/cb');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('heading', { name: 'Only of this tenant' }).waitFor();
    const named = async (headers: Readonly<Record<string, string>>): Promise<readonly string[]> => {
      const { items } = await administer(program, '/clients', { headers });
      return (items as readonly { metadata: { client_name: string } }[]).map(
        ({ metadata }) => metadata.client_name,
      );
    };
    assert.deepEqual(await named({ 'tenant-id': idOf(1998) }), ['Only of this tenant']);
    assert.equal((await named({})).includes('Only of this tenant'), false);
    await page.getByRole('button', { name: /^Tenant/u }).click();
    await page.getByRole('button', { name: 'Back to the default tenant' }).click();
    await page.getByText('Chancery console').waitFor();
    assert.match(page.url(), /#\/clients$/u);
  });

  test('a tenant is made, changed after a dry run with its differences, disabled and deleted for good by typing its id', async () => {
    const { page } = admin;
    await admin.go('#/tenants');
    await page.getByRole('button', { name: 'New tenant' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Identifier').fill('acme');
    await form.getByLabel('Issuer').fill('http://acme.example.com');
    await page.getByRole('button', { name: 'Make the tenant' }).click();
    await form.getByRole('alert').waitFor();
    await form.getByLabel('Issuer').fill('https://acme.example.com');
    await page.getByRole('button', { name: 'Make the tenant' }).click();
    await page.getByRole('heading', { name: 'acme' }).waitFor();
    await admin.go('#/tenants/acme/own');
    const text = page.getByLabel('Aliases and own settings as JSON');
    await text.fill('{ "aliases": [], "settings": { "access-token.lifetime": "soon" } }');
    await page.getByText('settings/access-token.lifetime: ').waitFor();
    await text.fill('{ "aliases": [], "settings": { "access-token.lifetime": 77 } }');
    await page.locator('.diff', { hasText: 'access-token.lifetime' }).waitFor();
    const lifetime = async (): Promise<unknown> =>
      ((await administer(program, '/tenants/acme'))['settings'] as Record<string, unknown>)[
        'access-token.lifetime'
      ];
    assert.equal(await lifetime(), undefined, 'a dry run changes nothing');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const saved = page.locator('.toast', { hasText: 'The settings are saved' });
    await saved.waitFor();
    assert.equal(await lifetime(), 77);
    await saved.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone').waitFor();
    assert.equal(await lifetime(), undefined);
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('button', { name }).click();
    };
    await choose('Disable');
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.locator('.badge', { hasText: 'Disabled' }).waitFor();
    await choose('Delete for good');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('audit_event').waitFor();
    const remove = dialog.getByRole('button', { name: 'Delete for good' });
    assert.equal(await remove.isDisabled(), true);
    await dialog.getByLabel('Type acme').fill('acm');
    assert.equal(await remove.isDisabled(), true);
    await dialog.getByLabel('Type acme').fill('acme');
    await remove.click();
    await page.getByText('The tenant is deleted').waitFor();
    assert.equal((await administer(program, '/tenants/acme'))['state'], 'deleted');
  });

  test('H-577 a token of one tenant opens no other one; a person without admin:all-tenants gets no switch, and an address with a tenant sends no request', async () => {
    await administer(program, '/accounts', { method: 'POST', json: { ...OPERATOR, admin_role: 'operator' } });
    const operator = await visit(program, OPERATOR);
    const { page } = operator;
    await operator.go('#/tenants');
    await page.getByRole('link', { name: idOf(0), exact: true }).waitFor();
    for (const name of [/^Tenant/u, 'New tenant', 'Administer'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, String(name));
    operator.requests.length = 0;
    await operator.go(`#/@${idOf(1)}/clients`);
    await page.getByText('Your role does not permit this').waitFor();
    assert.deepEqual(
      operator.requests.map((request) => request.url()).filter((url) => url.includes('/admin/')),
      [],
    );
    const authorization = `Bearer ${operator.tokens[0] ?? ''}`;
    const status = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await fetch(`${program.managementUrl}/admin/v1/clients`, { headers: { authorization, ...headers } }))
        .status;
    assert.equal(await status({}), 200);
    assert.equal(await status({ 'tenant-id': idOf(1) }), 401);
    assert.equal(await status({ issuer: issuerOf(1) }), 401);
    await operator.browser.close();
  });

  test('H-578 markup in the id of a tenant is refused, in its settings and in an address it is text', async () => {
    const { page } = admin;
    const refused = await fetch(`${program.managementUrl}/admin/v1/tenants`, {
      method: 'POST',
      headers: { authorization: `Bearer ${program.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: HOSTILE, issuer: 'https://markup.example.com' }),
    });
    assert.equal(refused.status, 400);
    const settings = { 'federation.organization-name': HOSTILE };
    await administer(program, '/tenants', {
      method: 'POST',
      json: { id: 'markup', issuer: 'https://markup.example.com', settings },
    });
    for (const place of ['tenants/markup', 'tenants/markup/own', 'tenants/markup/effective?changed=true']) {
      await admin.go(`#/${place}`);
      await page.getByRole('heading', { name: 'markup' }).waitFor();
    }
    await page.getByText(HOSTILE).waitFor();
    asked();
    await admin.go(`#/@${encodeURIComponent(HOSTILE)}/clients`);
    await page.getByText('There is no such page').waitFor();
    assert.deepEqual(asked(), []);
    await admin.go('#/@nothing/clients');
    await page.getByText('There is no such tenant').waitFor();
    assert.equal(await page.evaluate('window.hacked'), undefined);
  });

  test('H-579 headers of a forged proxy change no address in the page of the console', async () => {
    const headers = {
      'x-forwarded-prefix': '/evil',
      'x-forwarded-path': '/evil',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'gopher',
      'x-original-url': '/evil',
      'x-script-name': '/evil',
      forwarded: 'host=evil.example;proto=gopher',
    };
    for (const path of ['/console/', '/console']) {
      const url = `${program.managementUrl}${path}`;
      const plain = await fetch(url, { redirect: 'manual' });
      const forged = await fetch(url, { redirect: 'manual', headers });
      assert.equal(await forged.text(), await plain.text());
      assert.equal(forged.headers.get('location'), plain.headers.get('location'));
      assert.equal(
        forged.headers.get('content-security-policy'),
        plain.headers.get('content-security-policy'),
      );
    }
  });
});
