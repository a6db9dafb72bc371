import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type Program, startProgram } from '../program/start.ts';
import { newBrowser } from './browser.ts';

suite('the start page of a development server in a browser', () => {
  let program: Program;
  before(async () => {
    program = await startProgram({ mode: 'dev' });
  });
  after(async () => await program.stop());

  test('the button makes a token, the printed command registers a client with it, and a refusal is shown with its reason', async () => {
    const browser = await newBrowser({ viewport: { width: 390, height: 844 } });
    const complaints: string[] = [];
    browser.on('console', (message) => complaints.push(message.text()));
    const page = await browser.newPage();
    await page.goto(`${program.issuer}/`);
    assert.ok((await page.locator('main').innerText()).includes('None since the start.'));
    await page.getByRole('button', { name: 'Make an initial access token' }).click();
    const token = await page.locator('pre').first().innerText();
    const command = await page.locator('pre').nth(1).innerText();
    assert.ok(command.includes(`Bearer ${token}`), command);
    const [, metadata = ''] = /-d '(\{.*\})'/u.exec(command) ?? [];
    const register = async (): Promise<Response> =>
      await fetch(`${program.issuer}/clients`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: metadata,
      });
    assert.equal((await register()).status, 200);
    assert.equal((await register()).status, 401);
    await page.goto(`${program.issuer}/`);
    assert.match(await page.getByRole('table').innerText(), /client-registration\s+401/u);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
    assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), 5);
    assert.deepEqual(complaints, []);
    await browser.close();
  });

  test('without scripts everything is there but the buttons that copy', async () => {
    const browser = await newBrowser({ javaScriptEnabled: false });
    const page = await browser.newPage();
    await page.goto(`${program.issuer}/`);
    assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), 0);
    await page.getByRole('button', { name: 'Make an initial access token' }).click();
    assert.ok(await page.getByRole('status').isVisible());
    await browser.close();
  });
});
