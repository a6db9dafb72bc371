import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { developer } from '../program/developer.ts';
import { type Program, startProgram } from '../program/start.ts';
import { newBrowser } from './browser.ts';
import {
  type Account,
  administer,
  assertCalm,
  HOSTILE,
  LOOKS,
  makeAccounts,
  PASSWORD,
  settled,
  type Visitor,
  visit,
} from './console-visitor.ts';

suite('the console in a browser', () => {
  let program: Program;
  let administrator: Account;
  before(async () => {
    program = await startProgram({ mode: 'dev' });
    administrator = await developer(program);
    await makeAccounts(program);
  });
  after(async () => await program.stop());

  const newClient = async (client_name: string): Promise<string> => {
    const { client_id } = await administer(program, '/clients', {
      method: 'POST',
      json: { metadata: { client_name, redirect_uris: ['https://rp.example/cb'] } },
    });
    return String(client_id);
  };

  /** The addresses of the navigation, in its order. */
  const placesOf = async ({ page }: Visitor): Promise<readonly string[]> =>
    await page
      .locator('nav a[href^="#"]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));

  for (const look of LOOKS)
    test(`${look.words}: every page opens with at most three requests, without a complaint of the browser, and axe finds nothing`, async () => {
      const visitor = await visit(program, administrator, look);
      const { complaints } = visitor;
      const places = await placesOf(visitor);
      assert.ok(places.length >= 5, String(places));
      for (const place of places) await assertCalm(visitor, place, look);
      assert.deepEqual(complaints, []);
      await visitor.browser.close();
    });

  test('H-565 no token stands in an address, the history, the storage, a cookie of scripts, a referrer, or the log; a reload signs in again', async () => {
    const visitor = await visit(program, administrator);
    const { page, requests } = visitor;
    await visitor.go('#/keys');
    const tokens = new Set<string>();
    const referrers: (string | undefined)[] = [];
    for (const request of requests) {
      const { authorization, referer } = await request.allHeaders();
      if (authorization?.startsWith('Bearer ') === true) tokens.add(authorization.slice(7));
      if (request.url().includes('/admin/')) referrers.push(referer);
    }
    assert.ok(tokens.size >= 1);
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, document.referrer])',
    );
    const addresses = requests.map((request) => request.url()).join(' ');
    for (const token of tokens)
      for (const [place, text] of Object.entries({ kept: String(kept), addresses, log: program.output() }))
        assert.equal(text.includes(token), false, place);
    for (const referrer of referrers) assert.doesNotMatch(referrer ?? '', /code=|state=/);
    await page.reload();
    await page.locator('nav').first().waitFor({ state: 'attached' });
    await settled(page);
    assert.equal(await page.locator('input[name=password]').count(), 0);
    assert.match(page.url(), /#\/keys$/);
    await visitor.browser.close();
  });

  test('H-566 a viewer sees and changes nothing, an operator changes clients, an account without a role is shown the door', async () => {
    const viewer = await visit(program, { username: 'viewer', password: PASSWORD });
    await viewer.go('#/keys');
    assert.equal(await viewer.page.getByRole('button', { name: 'Revoke' }).count(), 0);
    await viewer.go('#/clients');
    assert.equal(await viewer.page.getByText('New client').count(), 0);
    const token = await accessTokenOf(viewer);
    const refused = await fetch(`${program.managementUrl}/admin/v1/clients`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ metadata: { client_name: 'x', redirect_uris: ['https://rp.example/cb'] } }),
    });
    assert.equal(refused.status, 403, 'the server checks the role, not the page');
    await viewer.browser.close();
    const operator = await visit(program, { username: 'operator', password: PASSWORD });
    await operator.go('#/clients');
    assert.ok((await operator.page.getByText('New client').count()) >= 1);
    await operator.browser.close();
    const nobody = await visit(program, { username: 'nobody', password: PASSWORD });
    assert.equal(await nobody.page.locator('nav a[href="#/clients"]').count(), 0);
    await nobody.browser.close();
  });

  test('H-567 a client whose name and data are scripts is text on its list and on its page', async () => {
    const client_id = await newClient(HOSTILE);
    const visitor = await visit(program, administrator);
    const { page } = visitor;
    await visitor.go('#/clients');
    assert.ok((await page.getByText(HOSTILE).count()) >= 1);
    for (const tab of ['', '/metadata', '/json']) {
      await visitor.go(`#/clients/${client_id}${tab}`);
      assert.equal(await page.evaluate('"hacked" in window'), false, tab);
    }
    await visitor.browser.close();
  });

  test('H-568 another site cannot frame the console, and its form changes nothing', async () => {
    const answer = await fetch(`${program.managementUrl}/console/`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /script-src 'self'/);
    assert.doesNotMatch(policy, /unsafe-/);
    const browser = await newBrowser();
    const page = await browser.newPage();
    await page.route('https://evil.example/**', async (route) => {
      await route.fulfill({
        contentType: 'text/html',
        body: `<iframe src="${program.managementUrl}/console/"></iframe>
          <form method="post" action="${program.managementUrl}/admin/v1/clients"><input name="client_name" value="x"><button>go</button></form>`,
      });
    });
    await page.goto('https://evil.example/');
    await page.waitForLoadState('networkidle').catch(() => undefined);
    const [, frame] = page.frames();
    assert.equal(await frame?.locator('.gate').count(), 0);
    const [sent] = await Promise.all([page.waitForNavigation(), page.getByRole('button').click()]);
    assert.equal(sent?.status(), 401);
    await browser.close();
  });

  test('two people change one client: the second sees the difference, and chooses', async () => {
    const client_id = await newClient('Before');
    const visitor = await visit(program, administrator);
    const { page } = visitor;
    await visitor.go(`#/clients/${client_id}/metadata`);
    await administer(program, `/clients/${client_id}`, {
      method: 'PATCH',
      json: { metadata: { client_name: 'Theirs' } },
      headers: { 'if-match': '*', 'content-type': 'application/merge-patch+json' },
    });
    await page.getByLabel('Name', { exact: true }).fill('Mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const dialog = page.locator('dialog', { hasText: 'Theirs' });
    await dialog.waitFor();
    assert.match(await dialog.innerText(), /Mine/);
    await dialog.getByRole('button', { name: 'Add mine to theirs' }).click();
    await dialog.waitFor({ state: 'detached' });
    const changed = await administer(program, `/clients/${client_id}`);
    assert.match(JSON.stringify(changed), /"client_name":"Mine"/);
    await visitor.browser.close();
  });

  test('without a connection the console says so, and goes on when it is back', async () => {
    const visitor = await visit(program, administrator);
    const { browser, page } = visitor;
    await browser.setOffline(true);
    await page.evaluate(`location.hash = '#/keys'`);
    await page.getByText('The server cannot be reached').first().waitFor();
    await browser.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByText('Signing').first().waitFor();
    await browser.close();
  });

  test('when the session has been ended, the page stays and the next step asks to sign in', async () => {
    const visitor = await visit(program, { username: 'operator', password: PASSWORD });
    const { page } = visitor;
    await visitor.go('#/clients');
    const { items } = await administer(program, '/accounts?q=operator');
    const [{ sub }] = items as readonly [{ readonly sub: string }];
    await administer(program, `/accounts/${sub}/end-sessions`, {
      method: 'POST',
      headers: { 'if-match': '*' },
    });
    await page.evaluate(`location.hash = '#/keys'`);
    await page
      .getByText(/session has (?:ended|expired)/i)
      .first()
      .waitFor();
    await visitor.browser.close();
  });

  test('the audit follows live: an act elsewhere appears without a reload, with who did it', async () => {
    const visitor = await visit(program, administrator);
    const { page } = visitor;
    await page.evaluate(`location.hash = '#/audit/live'`);
    await page.getByText('Live', { exact: true }).first().waitFor();
    const client_id = await newClient('Watched');
    await page.getByText(client_id).first().waitFor();
    assert.match(await page.locator('main').innerText(), /admin:break-glass/);
    await visitor.browser.close();
  });

  test('the settings are searched by name, and show where a value comes from; a secret has no value', async () => {
    const visitor = await visit(program, administrator);
    const { page } = visitor;
    await visitor.go('#/settings?search=master-token');
    const text = await page.locator('main').innerText();
    assert.match(text, /registration\.master-token-sha256/);
    assert.equal(text.includes(program.masterToken), false);
    await page.getByRole('button', { name: 'Details' }).first().click();
    assert.match(await page.locator('dialog').innerText(), /CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256/);
    await visitor.browser.close();
  });
});

/** The access token that the page uses. */
async function accessTokenOf({ requests }: Visitor): Promise<string> {
  for (const request of requests) {
    const { authorization } = await request.allHeaders();
    if (authorization?.startsWith('Bearer ') === true) return authorization.slice(7);
  }
  return assert.fail('no request had a token');
}
