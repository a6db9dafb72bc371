import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { testKey } from '../../src/testing/jwt.ts';
import { type FederatedProgram, startFederatedProgram } from './console-federation.ts';
import {
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

const METADATA = {
  client_name: 'Exam Office',
  redirect_uris: ['https://rp.example/cb'],
  token_endpoint_auth_method: 'client_secret_basic',
};

suite('the federation in the console', () => {
  let federated: FederatedProgram;
  let admin: Visitor;
  /** The client_id of a member. */
  let exams: string;
  before(async () => {
    federated = await startFederatedProgram();
    exams = await federated.register('exams', METADATA);
    await makeAccounts(federated.program);
    admin = await visit(federated.program);
  });
  after(async () => {
    await admin.browser.close();
    await federated.stop();
  });

  const trustAnchor = async (): Promise<readonly string[]> => {
    const { items } = await administer(federated.program, '/federation/trust-anchors');
    const [first] = items as readonly { readonly keys: readonly { readonly state: string }[] }[];
    return first?.keys.map(({ state }) => state) ?? [];
  };

  for (const look of LOOKS)
    test(`${look.words}: members, a member with its chain, anchors and a resolution are calm pages`, async () => {
      const { browser, ...visitor } = await visit(federated.program, undefined, look);
      for (const place of ['', `/members/${exams}`, '/anchors', '/resolve'])
        await assertCalm({ browser, ...visitor }, `#/federation${place}`, look);
      assert.deepEqual(visitor.complaints, []);
      await browser.close();
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

  test('a viewer sees the chain and changes nothing; an operator renews a member, and removes it after a question', async () => {
    const viewer = await visit(federated.program, { username: 'viewer', password: PASSWORD });
    await viewer.go(`#/federation/members/${exams}`);
    await viewer.page.getByRole('list', { name: 'Trust chain now' }).waitFor();
    for (const name of ['Renew now', 'Remove'])
      assert.equal(await viewer.page.getByRole('button', { name }).count(), 0, name);
    assert.equal(await viewer.page.getByRole('link', { name: 'Try a resolution' }).count(), 0);
    await viewer.browser.close();
    const operator = await visit(federated.program, { username: 'operator', password: PASSWORD });
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
    await operator.browser.close();
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
});
