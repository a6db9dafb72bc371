import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, suite, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { newBrowser } from './browser.ts';
import { type SamplePagesServer, serveSamplePages } from './sample-pages-server.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** WCAG 2.2, levels A and AA, and what axe-core's authors hold to be good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };
/** WCAG 2.2 §2.5.8, target size: the least that a finger hits. */
const TARGET_PX = 24;

/** Words of axe-core, as far as they are looked at. */
interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
  readonly passes: readonly { readonly id: string }[];
}

suite('accessibility of the pages', () => {
  let server: SamplePagesServer;
  before(async () => {
    server = await serveSamplePages();
  });
  after(async () => await server.stop());

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`no page breaks a rule of WCAG 2.2 AA, ${colorScheme}: labels, names, contrast, landmarks, language`, async () => {
      const browser = await newBrowser({ colorScheme, viewport: PHONE });
      const page = await stillPage(browser);
      for (const name of server.names) {
        await page.goto(`${server.origin}/${name}`);
        const { violations, passes } = await examine(page);
        assert.deepEqual(violations, [], `${name}: ${JSON.stringify(violations, undefined, 2)}`);
        assert.ok(
          passes.some(({ id }) => id === 'color-contrast'),
          `${name}: contrast was measured, in real colours`,
        );
      }
      await browser.close();
    });
  }

  test('axe-core sees what it is asked for: a field without a label and grey on grey are found', async () => {
    const browser = await newBrowser();
    const page = await stillPage(browser);
    await page.goto(`${server.origin}/sign-in`);
    await page.evaluate(`document.querySelector('label').remove();
      document.querySelector('h1').style.color = '#bbb';`);
    const found = (await examine(page)).violations.map(({ id }) => id);
    assert.deepEqual(found.sort(), ['color-contrast', 'label']);
    await browser.close();
  });

  test('no page is wider than a phone, in no language, and no button is too small for a finger', async () => {
    const browser = await newBrowser({ viewport: { width: 320, height: 640 } });
    const page = await stillPage(browser);
    for (const name of server.names) {
      for (const language of ['en', 'de', 'fr', 'es']) {
        await page.goto(`${server.origin}/${name}?ui_locales=${language}`);
        assert.equal(await page.locator('html').getAttribute('lang'), language);
        const width = await page.evaluate('document.documentElement.scrollWidth');
        assert.equal(width, 320, `${name} in ${language}`);
        for (const button of await page.getByRole('button').all()) {
          const box = await button.boundingBox();
          assert.ok(box !== null && Math.min(box.width, box.height) >= TARGET_PX, `${name} in ${language}`);
        }
      }
    }
    await browser.close();
  });

  test('the keyboard reaches every control in the order of reading, beginning where one types first, and it is seen where one is', async () => {
    const browser = await newBrowser({ viewport: DESKTOP });
    const page = await stillPage(browser);
    await page.goto(`${server.origin}/sign-in`);
    await page.locator('input:focus').waitFor();
    assert.deepEqual(await tabOrder(page), [
      'username',
      'password',
      'Sign in',
      'Cancel',
      'Privacy policy of the application',
      'Terms of the application',
    ]);
    await page.goto(`${server.origin}/sign-in-refused`);
    await page.locator('input[name=password]:focus').waitFor();
    await page.goto(`${server.origin}/consent`);
    assert.deepEqual(await tabOrder(page), [
      'Privacy policy of the application',
      'Terms of the application',
      'Allow',
      'Deny',
    ]);
    await page.goto(`${server.origin}/logout`);
    assert.deepEqual(await tabOrder(page), ['Sign out', 'Stay signed in']);
    assert.match((await focused(page)).outline, /solid [3-9]px/);
    await browser.close();
  });
});

/** Without the script that sends the form of one page: it is looked at as it is without scripts. */
async function stillPage(browser: BrowserContext): Promise<Page> {
  const page = await browser.newPage();
  await page.route('**/*.js', async (route) => await route.abort());
  return page;
}

async function examine(page: Page): Promise<AxeResult> {
  await page.evaluate(AXE);
  return await page.evaluate(
    `axe.run({ runOnly: ${JSON.stringify(RULES)} }).then(({ violations, passes }) => ({
      violations: violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) })),
      passes: passes.map(({ id }) => ({ id })),
    }))`,
  );
}

/** The focused element: a field's name or a control's words, and its visible outline. */
async function focused(page: Page): Promise<{ readonly name: string; readonly outline: string }> {
  return await page.evaluate(`(() => {
    const { name, innerText } = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
    const words = document.activeElement === document.body ? '' : innerText.trim();
    return { name: words === '' ? name ?? '' : words, outline: outlineStyle + ' ' + outlineWidth };
  })()`);
}

/** From where the page puts the focus to the last control. */
async function tabOrder(page: Page): Promise<readonly string[]> {
  const order: string[] = [];
  if ((await focused(page)).name === '') await page.keyboard.press('Tab');
  for (
    let { name } = await focused(page);
    name !== '' && !order.includes(name);
    { name } = await focused(page)
  ) {
    order.push(name);
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Shift+Tab');
  return order;
}
