import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type Program, startProgram } from '../program/start.ts';
import { administer, consoleOf, type Visitor, visit } from './console-visitor.ts';

suite('the console against attacks in a browser', () => {
  let program: Program;
  let admin: Visitor;

  before(async () => {
    program = await startProgram({ mode: 'dev' });
    admin = await visit(program);
  });
  after(async () => {
    await admin.browser.close();
    await program.stop();
  });

  test('no script can make markup of text, or code of text, in the page of the console (H-569)', async () => {
    const { page } = admin;
    const outcome = async (code: string): Promise<unknown> =>
      await page.evaluate(
        `(() => { try { ${code}; return 'done'; } catch (failure) { return failure.name; } })()`,
      );
    assert.equal(await outcome("document.body.insertAdjacentHTML('beforeend', '<b>x</b>')"), 'TypeError');
    assert.equal(await outcome("document.createElement('div').innerHTML = '<b>x</b>'"), 'TypeError');
    assert.equal(
      await outcome("window.trustedTypes.createPolicy('default', { createHTML: (text) => text })"),
      'TypeError',
    );
    const sources = await page.evaluate('[...document.scripts].map(({ src }) => new URL(src).origin)');
    assert.deepEqual([...new Set(sources as string[])], [new URL(program.managementUrl).origin]);
    admin.complaints.length = 0;
  });

  test('a response that this console did not ask for, or with a code of another browser, gets no token (H-570)', async () => {
    const page = await admin.browser.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.goto(
      `${consoleOf(program)}#code=stolen&state=guessed&iss=${encodeURIComponent(program.issuer)}`,
    );
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    assert.equal(asked.includes('POST /token'), false);
    assert.doesNotMatch(page.url(), /stolen/u);
    await page.close();
  });

  test('the sign-out ends the session at the server, and no address holds the ID token (H-571)', async () => {
    const { page, tokens } = admin;
    const addresses: string[] = [];
    page.on('framenavigated', (frame) => addresses.push(frame.url()));
    await page.getByRole('button', { name: /Dev Eloper/u }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL((url) => url.href.startsWith(consoleOf(program)));
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    assert.ok(tokens.length >= 2);
    for (const token of tokens) for (const address of addresses) assert.equal(address.includes(token), false);
    const { items } = await administer(program, '/sessions');
    assert.deepEqual(items, []);
  });
});
