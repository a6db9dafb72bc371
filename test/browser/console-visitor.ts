import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, BrowserContextOptions, Page, Request, Response } from 'playwright-core';
import { type Answered, type Asked, administration, answered } from '../program/administration.ts';
import { developer } from '../program/developer.ts';
import type { Program } from '../program/start.ts';
import { newBrowser } from './browser.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** keycloak-ui#2986: a page makes at most three requests, however many rows it shows. */
const REQUESTS_MAX = 3;

/** Sets `hacked` of the window if a page makes markup of it. */
export const HOSTILE = '<script>window.hacked=1</script><img src=x onerror="window.hacked=1">';
export const PASSWORD = 'correct horse battery';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };

/** A person with a screen. */
export interface Look {
  readonly words: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme: 'light' | 'dark';
}

export const DESK: Look = { words: 'at a desk, light', viewport: DESKTOP, colorScheme: 'light' };

export const LOOKS: readonly Look[] = [
  DESK,
  { words: 'on a phone, dark', viewport: PHONE, colorScheme: 'dark' },
];

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
  /** Tokens that the server issued to this browser. */
  readonly tokens: string[];
  /** Goes to a place by its address, as a link does, and waits until nothing is loading. */
  go(hash: string): Promise<void>;
}

export const consoleOf = ({ managementUrl }: Pick<Program, 'managementUrl'>): string =>
  `${managementUrl}/console/`;

/** The number of requests that a page ever sent, and those without an answer. */
interface Traffic {
  sent: number;
  readonly open: Set<Request>;
}

const traffic = new WeakMap<Page, Traffic>();

/** Time for the page to hear of what happened, to render, and to ask for what it then needs. */
const TWO_FRAMES = `new Promise((done) => {
  const frame = (then) => requestAnimationFrame(() => setTimeout(then));
  frame(() => frame(done));
})`;

/**
 * Waits until the page shows no skeleton, no request is under way, and the page has rendered without asking for more. The state
 * `networkidle` of the browser does not serve: it is reached once, and stays.
 */
export async function settled(page: Page): Promise<void> {
  const seen = traffic.get(page) ?? assert.fail('a page of newPage()');
  for (;;) {
    const { sent } = seen;
    await page.evaluate(TWO_FRAMES);
    await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached' });
    if (seen.sent === sent && seen.open.size === 0) return;
  }
}

/** Opens a page whose requests are counted. A stream of events stays open, so it does not count. */
async function newPage(browser: BrowserContext): Promise<Page> {
  const page = await browser.newPage();
  const counted: Traffic = { sent: 0, open: new Set() };
  traffic.set(page, counted);
  page.on('request', (request) => {
    if (request.headers()['accept'] === 'text/event-stream') return;
    counted.sent += 1;
    counted.open.add(request);
  });
  for (const end of ['requestfinished', 'requestfailed'] as const)
    page.on(end as 'requestfinished', (request) => counted.open.delete(request));
  return page;
}

/** Opens the console, and signs in. Without an account, it is the one that the program printed. */
export async function visit(
  program: Program,
  account?: Account,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const { username, password } = account ?? (await developer(program));
  const browser = await newBrowser({ viewport: { width: 1280, height: 800 }, ...options });
  const complaints: string[] = [];
  const requests: Request[] = [];
  const tokens: string[] = [];
  browser.on('console', (message) => {
    if (message.type() !== 'log' && message.type() !== 'info') complaints.push(message.text());
  });
  browser.on('request', (request) => requests.push(request));
  browser.on('response', (response) => void noteTokens(response, tokens));
  const page = await newPage(browser);
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(consoleOf(program));
  await signIn(page, { username, password });
  await page.waitForURL((url) => url.href.startsWith(consoleOf(program)));
  await page.locator('.shell, .gate-card h1').first().waitFor();
  await settled(page);
  return {
    browser,
    page,
    complaints,
    requests,
    tokens,
    async go(hash) {
      // A place that is there already loads nothing again.
      if ((await page.evaluate('location.hash')) === hash) {
        await page.evaluate(`location.hash = '#/-'`);
        await settled(page);
      }
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await settled(page);
    },
  };
}

async function signIn(page: Page, { username, password }: Account): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('input[name=username]').fill(username);
  await page.locator('input[name=password]').fill(password);
  await page.locator('button[value=sign-in]').click();
}

async function noteTokens(response: Response, tokens: string[]): Promise<void> {
  if (!response.url().endsWith('/token')) return;
  const body = (await response.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
  for (const name of ['access_token', 'refresh_token', 'id_token'])
    if (typeof body[name] === 'string') tokens.push(body[name]);
}

/** Words of axe-core, as far as they are looked at. */
interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Fails with what axe-core finds on the page as it stands. */
async function assertAccessible(page: Page, where: string): Promise<void> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const { violations } = (await page.evaluate(
    `axe.run({ runOnly: { type: 'tag', values: ${JSON.stringify(RULES)} } })`,
  )) as AxeResult;
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  assert.deepEqual(found, [], where);
}

/** Opens a place: it takes at most three requests, axe finds nothing, and nothing stands beside the screen. */
export async function assertCalm(visitor: Visitor, place: string, { words, viewport }: Look): Promise<void> {
  const { page, requests } = visitor;
  requests.length = 0;
  await visitor.go(place);
  const asked = requests.filter((request) => request.url().includes('/admin/v1/'));
  const paths = asked.map((request) => new URL(request.url()).pathname);
  // A page that follows something keeps one request open.
  assert.ok(paths.length <= REQUESTS_MAX, `${place}: ${paths.join(' ')}`);
  await assertAccessible(page, `${place} ${words}`);
  const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
  assert.ok(width <= viewport.width, `${place} is too wide`);
}

/** Makes an account with each role, and one without, whose name is `nobody`. */
export async function makeAccounts(program: Program): Promise<void> {
  for (const admin_role of ['viewer', 'operator', null])
    await administer(program, '/accounts', {
      method: 'POST',
      json: {
        username: admin_role ?? 'nobody',
        password: PASSWORD,
        ...(admin_role === null ? {} : { admin_role }),
      },
    });
}

/** A request to the administration API with the break-glass token, which must succeed. */
export async function administer(
  program: Program,
  path: string,
  {
    method = 'GET',
    json,
    headers = {},
  }: { method?: string; json?: unknown; headers?: Asked['headers'] } = {},
): Promise<Answered['json']> {
  const answer = await answered(await administration(program, method, path, { body: json, headers }));
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.json;
}
