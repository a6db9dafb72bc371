import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core';
import type { Program } from '../program/start.ts';
import { newBrowser } from './browser.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export interface Account {
  readonly username: string;
  readonly password: string;
}

/** A person in front of the console, and everything that the browser said and sent. */
export interface Visitor {
  readonly browser: BrowserContext;
  readonly page: Page;
  /** Errors and warnings of the browser. */
  readonly complaints: string[];
  readonly requests: Request[];
  /** Goes to a place by its address, as a link does, and waits until nothing is loading. */
  go(hash: string): Promise<void>;
}

/** Waits until the page shows no skeleton and no request is under way. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

/** Opens the console, and signs in with the account. */
export async function visit(
  { managementUrl }: Program,
  { username, password }: Account,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const browser = await newBrowser(options);
  const complaints: string[] = [];
  const requests: Request[] = [];
  browser.on('console', (message) => {
    if (message.type() !== 'log' && message.type() !== 'info') complaints.push(message.text());
  });
  browser.on('request', (request) => requests.push(request));
  const page = await browser.newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${managementUrl}/console/`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('input[name=username]').fill(username);
  await page.locator('input[name=password]').fill(password);
  await page.locator('button[value=sign-in]').click();
  await page.waitForURL(`${managementUrl}/console/**`);
  await page.locator('.gate .skeleton').waitFor({ state: 'detached' });
  await settled(page);
  return {
    browser,
    page,
    complaints,
    requests,
    async go(hash) {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await settled(page);
    },
  };
}

/** Words of axe-core, as far as they are looked at. */
interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Fails with what axe-core finds on the page as it stands. */
export async function assertAccessible(page: Page, where: string): Promise<void> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const { violations } = (await page.evaluate(
    `axe.run({ runOnly: { type: 'tag', values: ${JSON.stringify(RULES)} } })`,
  )) as AxeResult;
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  assert.deepEqual(found, [], where);
}

/** A request to the administration API with the break-glass token. */
export async function administer(
  { managementUrl, adminToken }: Program,
  path: string,
  options: {
    readonly method?: string;
    readonly json?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { method = 'GET', json, headers } = options;
  const answer = await fetch(`${managementUrl}/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${adminToken}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>;
}
