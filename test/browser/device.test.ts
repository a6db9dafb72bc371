import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { BrowserContext } from 'playwright-core';
import { DEVICE_GRANT, TELEVISION } from '../../src/testing/device.ts';
import { developer } from '../program/developer.ts';
import { type Program, startProgram } from '../program/start.ts';
import { newBrowser } from './browser.ts';
import { heading, signIn } from './sample-website.ts';

const PHONE = { width: 360, height: 740 };

suite('a phone in front of a television (RFC 8628)', () => {
  let program: Program;
  let phone: BrowserContext;

  before(async () => {
    program = await startProgram({ mode: 'dev' });
    phone = await newBrowser({ viewport: PHONE });
  });
  after(async () => {
    await phone.close();
    await program.stop();
  });

  async function post(
    path: string,
    fields: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string>>> {
    const answer = await fetch(program.issuer + path, { method: 'POST', body: new URLSearchParams(fields) });
    return (await answer.json()) as Readonly<Record<string, string>>;
  }

  test('its person opens the address with the code, sends it, signs in and agrees; no page is wider than the phone (RFC 8628 §3.3.1)', async () => {
    const registered = await fetch(`${program.issuer}/clients`, {
      method: 'POST',
      headers: { authorization: `Bearer ${program.masterToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(TELEVISION),
    });
    const { client_id = '' } = (await registered.json()) as Readonly<Record<string, string>>;
    const begun = await post('/device_authorization', { client_id });
    const page = await phone.newPage();
    const fits = async (): Promise<void> =>
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE.width, page.url());
    await page.goto(begun['verification_uri_complete'] ?? '');
    assert.equal(await page.inputValue('input[name="user_code"]'), begun['user_code']);
    await fits();
    await page.getByRole('button', { name: 'Continue' }).click();
    await heading(page, 'Sign in');
    await fits();
    await signIn(page, await developer(program));
    await page.waitForSelector('button[value="allow"]');
    assert.ok((await page.innerText('main')).includes(begun['user_code'] ?? 'no code'));
    await fits();
    await page.click('button[value="allow"]');
    await heading(page, 'Your device is connected');
    await fits();
    const tokens = await post('/token', {
      grant_type: DEVICE_GRANT,
      client_id,
      device_code: begun['device_code'] ?? '',
    });
    assert.equal(tokens['token_type'], 'Bearer', JSON.stringify(tokens));
  });
});
