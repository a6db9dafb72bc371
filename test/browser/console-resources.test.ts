import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { testKey } from '../../src/testing/jwt.ts';
import { listeningPort } from '../../src/testing/listening-port.ts';
import {
  administer,
  assertCalm,
  DESK,
  HOSTILE,
  LOOKS,
  makeAccounts,
  PASSWORD,
  settled,
  type Visitor,
  visit,
} from './console-visitor.ts';
import { type FederatedProgram, startFederatedProgram } from './federated-program.ts';

const METADATA = {
  client_name: 'Exam Office',
  redirect_uris: ['https://rp.example/cb'],
  token_endpoint_auth_method: 'client_secret_basic',
};

suite('pages of the console about other parties', () => {
  let federated: FederatedProgram;
  let admin: Visitor;
  let operator: Visitor;
  let receiver: Server;
  /** The client_id of a member. */
  let exams: string;
  /** The address of a receiver that accepts deliveries at `/open` only. */
  let origin: string;
  before(async () => {
    receiver = createServer((request, response) => {
      response.writeHead(request.url?.startsWith('/open') === true ? 204 : 500).end();
    }).listen(0, '127.0.0.1');
    origin = `http://127.0.0.1:${await listeningPort(receiver)}`;
    federated = await startFederatedProgram({
      CHANCERY_WEBHOOKS_ATTEMPTS_MAX: '1',
      CHANCERY_WEBHOOKS_DELIVERY_INTERVAL: '1',
    });
    exams = await federated.register('exams', METADATA);
    await makeAccounts(federated.program);
    admin = await visit(federated.program, undefined, DESK);
    operator = await visit(federated.program, { username: 'operator', password: PASSWORD });
  });
  after(async () => {
    await admin.browser.close();
    await operator.browser.close();
    await federated.stop();
    receiver.close();
  });

  const newWebhook = async (json: object): Promise<string> => {
    const { id } = await administer(federated.program, '/webhooks', { method: 'POST', json });
    return String(id);
  };

  const trustAnchor = async (): Promise<readonly string[]> => {
    const { items } = await administer(federated.program, '/federation/trust-anchors');
    const [first] = items as readonly { readonly keys: readonly { readonly state: string }[] }[];
    return first?.keys.map(({ state }) => state) ?? [];
  };

  for (const look of LOOKS)
    test(`${look.words}: members, chains, anchors, resolutions, webhooks and deliveries are calm pages`, async () => {
      const id = await newWebhook({ url: `${origin}/open`, actions: ['account'] });
      const visitor = look === DESK ? admin : await visit(federated.program, undefined, look);
      for (const place of [
        'federation',
        `federation/members/${exams}`,
        'federation/anchors',
        'federation/resolve',
        'webhooks',
        `webhooks/${id}`,
        `webhooks/${id}/deliveries`,
      ])
        await assertCalm(visitor, `#/${place}`, look);
      assert.deepEqual(visitor.complaints, []);
      if (visitor !== admin) await visitor.browser.close();
    });

  test('the picture of a chain has each entity with its keys and checks, and the keyboard opens them', async () => {
    const { page } = admin;
    await admin.go('#/federation');
    await page.getByRole('link', { name: 'Exam Office' }).focus();
    await page.keyboard.press('Enter');
    const boxes = page.getByRole('list', { name: 'Trust chain now' }).locator('> li');
    await boxes.nth(2).waitFor();
    const { anchor, organisation } = federated;
    const ids = [`${federated.authorities.base}/exams`, organisation.id, anchor.id];
    assert.deepEqual(await boxes.locator('h3').allInnerTexts(), ids);
    assert.match(await boxes.nth(2).innerText(), /Trust anchor[^]*anchor-1[^]*\d+ checks passed/);
    const checks = boxes.nth(1).locator('details').last();
    await checks.locator('summary').focus();
    await page.keyboard.press('Enter');
    await checks.getByText('§3.2 12 signature').waitFor();
    assert.match(await checks.innerText(), /Signed with key\s+university-1/);
  });

  test('a viewer sees members and webhooks and changes none; an operator changes members only', async () => {
    const id = await newWebhook({ url: `${origin}/open`, actions: ['account'] });
    const viewer = await visit(federated.program, { username: 'viewer', password: PASSWORD });
    const places = { member: `#/federation/members/${exams}`, anchors: '#/federation/anchors' };
    for (const [visitor, offered] of [
      [viewer, []],
      [operator, ['Renew now', 'Remove', 'Look now', 'Reset']],
    ] as const) {
      const seen: string[] = [];
      for (const place of [places.member, places.anchors, '#/webhooks', `#/webhooks/${id}`]) {
        await visitor.go(place);
        seen.push(...(await visitor.page.locator('#content button:not(.square)').allInnerTexts()));
      }
      assert.deepEqual(seen, offered);
      assert.equal(
        await visitor.page.getByRole('link', { name: 'Webhooks', exact: true }).count(),
        2,
        'in the navigation and above the title',
      );
    }
    await viewer.browser.close();
  });

  test('an operator renews a member, and removes it after a question', async () => {
    const { page } = operator;
    const client_id = await federated.register('leaving', { ...METADATA, client_name: 'Leaving' });
    await operator.go(`#/federation/members/${client_id}`);
    await page.getByRole('button', { name: 'Renew now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Renew now' }).click();
    await page.getByText('The metadata is unchanged').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('left the university');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The member is removed').waitFor();
    const { items } = await administer(federated.program, '/federation/members?name_contains=leaving');
    assert.deepEqual(items, []);
  });

  test('a key that an anchor announces is accepted after its thumbprint was shown, and a reset takes it back', async () => {
    const { page } = admin;
    const key = testKey('ES256', 'anchor-2');
    federated.anchor.publish([], { jwks: { keys: [federated.anchor.key.jwk, key.jwk] } });
    await admin.go('#/federation/anchors');
    await page.getByRole('button', { name: 'Look now' }).click();
    await page.getByRole('button', { name: 'Accept new keys' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('.diff').waitFor();
    assert.deepEqual(await trustAnchor(), ['pinned', 'announced']);
    await dialog.getByRole('button', { name: 'Accept new keys' }).click();
    await page.getByText('The keys are accepted').waitFor();
    assert.deepEqual(await trustAnchor(), ['pinned', 'accepted']);
    await settled(page);
    await page.getByRole('button', { name: 'Reset' }).click();
    await dialog.locator('.diff').waitFor();
    await dialog.getByRole('button', { name: 'Reset' }).click();
    await page.getByText('The trust anchor is reset').waitFor();
    assert.deepEqual(await trustAnchor(), ['pinned']);
  });

  test('H-573 names, keys and policies of a federation that are scripts are text in the list, on the page and in the picture', async () => {
    const { page } = admin;
    const entity = federated.relyingParty('script', { ...METADATA, client_name: HOSTILE });
    const keys = [entity.key.jwk, { ...testKey('ES256', 'other').jwk, kid: HOSTILE }];
    const client_id = await federated.register('script', { ...METADATA, client_name: HOSTILE });
    const metadata = { openid_relying_party: { ...METADATA, client_name: HOSTILE } };
    entity.publish([federated.organisation], { jwks: { keys }, metadata });
    federated.organisation.vouch(entity, {
      metadata_policy: { openid_relying_party: { contacts: { add: [HOSTILE] } } },
    });
    await admin.go('#/federation');
    await page.getByRole('link', { name: HOSTILE }).waitFor();
    await admin.go(`#/federation/members/${client_id}`);
    const picture = page.getByRole('list', { name: 'Trust chain now' });
    await picture.getByText(HOSTILE, { exact: true }).first().waitFor();
    for (const part of await page.locator('summary').all()) await part.click();
    assert.match(await picture.innerText(), /contacts add \["<script>/);
    assert.equal(await page.evaluate('"hacked" in window'), false);
    assert.equal(await page.locator('#content img, #content script').count(), 0);
  });

  test('H-574 a resolution shows the exact step that failed; an address that is none, or inside, is refused and not asked', async () => {
    const { page } = admin;
    const lost = federated.authorities.entity('lost');
    lost.publish([federated.organisation]);
    const resolve = async (entity_id: string): Promise<void> => {
      await admin.go('#/federation/resolve');
      await page.getByLabel('Entity identifier').fill(entity_id);
      await page.getByRole('button', { name: 'Resolve' }).click();
    };
    await resolve(lost.id);
    const boxes = page.getByRole('list', { name: 'Trust chain now' }).locator('> li');
    await boxes.nth(1).getByText('status 404').first().waitFor();
    assert.match(await boxes.nth(0).innerText(), /Holds[^]*names as its superior/);
    assert.match(await boxes.nth(1).innerText(), /Fails[^]*Its statement about \S+\/lost/);
    await resolve('javascript:window.hacked=1');
    await page.locator('input[aria-invalid=true]').waitFor();
    await resolve('https://10.0.0.1');
    await boxes.nth(0).getByText('fetch_forbidden-address').waitFor();
    assert.equal(await page.evaluate('"hacked" in window'), false);
  });

  test('an administrator makes a webhook, tests it, changes it and undoes that, pauses it, and deletes it', async () => {
    const { page } = admin;
    const dialog = page.getByRole('dialog');
    const act = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('group', { name: 'Actions' }).getByRole('button', { name }).click();
    };
    const current = async (): Promise<Readonly<Record<string, unknown>>> => {
      const id = page.url().split('/').at(-1) ?? '';
      return await administer(federated.program, `/webhooks/${id}`);
    };
    await admin.go('#/webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await dialog.getByLabel('Address').fill(`${origin}/open?key=hidden`);
    await dialog.getByLabel('Description').fill('Data centre');
    await dialog.getByLabel('Events', { exact: true }).fill('account');
    await dialog.getByRole('button', { name: 'Make it' }).click();
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('heading', { name: 'Data centre' }).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await dialog.getByText('The receiver accepted the test delivery.').waitFor();
    await page.keyboard.press('Escape');
    await act('Edit');
    await dialog.getByLabel('Description').fill('Archive');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Archive' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'Data centre' }).waitFor();
    const { has_query, description } = await current();
    assert.deepEqual([has_query, description], [true, 'Data centre']);
    for (const [name, badge, enabled] of [
      ['Pause', 'Paused', false],
      ['Resume', 'Active', true],
    ] as const) {
      await act(name);
      await dialog.getByRole('button', { name }).click();
      await page.locator('.badge', { hasText: badge }).waitFor();
      assert.equal((await current())['enabled'], enabled);
    }
    await act('Delete');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The webhook is deleted').waitFor();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    assert.equal(await page.getByText('Data centre').count(), 0);
  });

  test('a delivery that failed is shown with its cause, tried again, and discarded', async () => {
    const { page } = admin;
    const dialog = page.getByRole('dialog');
    const id = await newWebhook({ url: `${origin}/closed`, actions: ['account'] });
    await administer(federated.program, '/accounts', { method: 'POST', json: { username: 'someone' } });
    const deliveries = async (): Promise<
      readonly { readonly state: string; readonly attempts: number }[]
    > => {
      const { items } = await administer(federated.program, `/webhooks/${id}/deliveries`);
      return items as readonly { readonly state: string; readonly attempts: number }[];
    };
    const untilFailed = async (attempts: number): Promise<void> => {
      for (;;) {
        const [first] = await deliveries();
        if (first?.state === 'failed' && first.attempts === attempts) return;
        await sleep(20);
      }
    };
    await untilFailed(1);
    await admin.go('#/webhooks');
    await page.locator('tr', { hasText: '/closed' }).getByText('1 failed').waitFor();
    await admin.go(`#/webhooks/${id}/deliveries`);
    await page.getByText('status 500').waitFor();
    await page.getByRole('button', { name: 'Try again', exact: true }).click();
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('1 delivery is tried again').waitFor();
    await untilFailed(2);
    await page.getByRole('button', { name: 'Discard all failed ones' }).click();
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('All deliveries were accepted').waitFor();
    assert.deepEqual(await deliveries(), []);
  });

  test('H-575 a webhook with the address `javascript:` is refused at its field; a script in its description is text, and no address is a link', async () => {
    const { page } = admin;
    const id = await newWebhook({ url: `${origin}/open`, description: HOSTILE, actions: ['account'] });
    await admin.go('#/webhooks');
    await page.getByRole('link', { name: HOSTILE }).waitFor();
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('Address').fill('javascript:window.hacked=1');
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByText('must be an address that the server may call').waitFor();
    await page.keyboard.press('Escape');
    await admin.go(`#/webhooks/${id}`);
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    assert.equal(await page.locator('a[href^="http"], a[href^="javascript"], #content img').count(), 0);
    assert.equal(await page.evaluate('"hacked" in window'), false);
  });

  test('H-576 the secret of a webhook and the query of its address stand nowhere once their dialog is closed', async () => {
    const { page } = admin;
    await admin.go('#/webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('Address').fill(`${origin}/open?key=TOP-SECRET`);
    await page.getByRole('button', { name: 'Make it' }).click();
    const shown = page.locator('.once code').first();
    const secret = await shown.innerText();
    assert.match(secret, /^\S{20,}$/);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('heading', { name: `${origin}/open` }).waitFor();
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, document.documentElement.outerHTML])',
    );
    for (const hidden of [secret, 'TOP-SECRET']) {
      assert.equal(String(kept).includes(hidden), false);
      assert.equal(federated.program.output().includes(hidden), false);
    }
  });

  test('an administrator makes, verifies, downloads and deletes a backup; an operator sees it', async () => {
    const { page } = admin;
    const dialog = page.getByRole('dialog');
    await admin.go('#/backups');
    await page.getByRole('button', { name: 'New backup' }).click();
    await dialog.getByRole('button', { name: 'Make it' }).click();
    await page.getByText('Complete', { exact: true }).waitFor();
    await operator.go('#/backups');
    const seen = operator.page.locator('#content button:not(.square)');
    assert.deepEqual(await seen.allInnerTexts(), ['Details']);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const file = readFileSync(await (await saving).path());
    await page.getByRole('button', { name: 'Details' }).click();
    await dialog.getByText(hash('sha256', file)).waitFor();
    await dialog.getByRole('button', { name: 'Verify' }).click();
    await dialog.getByText('Passed').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete this backup?' }).getByLabel('Reason').fill('a test');
    await page.keyboard.press('Enter');
    await page.getByText('There are no backups yet').waitFor();
    assert.deepEqual((await administer(federated.program, '/backups'))['items'], []);
  });
});
