import assert from 'node:assert/strict';
import type { BrowserContext, BrowserContextOptions, Page, Response } from 'playwright-core';
import { developer } from '../program/developer.ts';
import type { Program } from '../program/start.ts';
import { newBrowser } from './browser.ts';

/** A person before the console, and what the browser and the network tell meanwhile. */
export interface ConsoleVisitor {
  readonly browser: BrowserContext;
  readonly page: Page;
  /** Complaints of the browser: errors of scripts, and of the content security policy. */
  readonly complaints: string[];
  /** Requests to the administration API since the last visit. */
  readonly requests: string[];
  /** Tokens that the server issued to this browser. */
  readonly tokens: string[];
  /** Opens a place of the console, and waits until it shows what it loads. */
  visit(place: string): Promise<void>;
}

export const consoleOf = (program: Program): string => `${program.managementUrl}/console/`;

const PRINTED_TOKEN = /Administration token +(\S+)/u;

/** The token of the administration that the development mode prints. */
async function administrationToken(program: Program): Promise<string> {
  await program.printed(PRINTED_TOKEN);
  return PRINTED_TOKEN.exec(program.output())?.[1] ?? assert.fail('no token was printed');
}

/** Sends a request to the administration API as the operator of the machine. */
export async function administered(
  program: Program,
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${program.managementUrl}/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${await administrationToken(program)}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/** Opens the console in a browser of its own, and signs in. */
export async function signedIn(
  program: Program,
  who?: { readonly username: string; readonly password: string },
  options: BrowserContextOptions = {},
): Promise<ConsoleVisitor> {
  const { username, password } = who ?? (await developer(program));
  const visitor = await opened(program, options);
  const { page } = visitor;
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('input[name=username]').fill(username);
  await page.locator('input[name=password]').fill(password);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.href.startsWith(consoleOf(program)));
  await page.locator('.shell, .gate-card h1').first().waitFor();
  return visitor;
}

/** Opens the console without signing in. */
async function opened(program: Program, options: BrowserContextOptions = {}): Promise<ConsoleVisitor> {
  const browser = await newBrowser({ viewport: { width: 1280, height: 800 }, ...options });
  const complaints: string[] = [];
  const requests: string[] = [];
  const tokens: string[] = [];
  const page = await browser.newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || /security policy/iu.test(message.text()))
      complaints.push(message.text());
  });
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/admin/')) requests.push(`${request.method()} ${pathname}`);
  });
  page.on('response', (response) => void noteTokens(response, tokens));
  await page.goto(consoleOf(program));
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  return {
    browser,
    page,
    complaints,
    requests,
    tokens,
    async visit(place) {
      requests.length = 0;
      await page.evaluate(`location.hash = '#/${place}'`);
      await page.locator('#content h1').waitFor();
      // The policy of the page forbids functions made of text, so that locators wait.
      for (const loading of ['.skeleton', '[aria-busy=true]'])
        await page.locator(loading).first().waitFor({ state: 'detached' });
    },
  };
}

async function noteTokens(response: Response, tokens: string[]): Promise<void> {
  if (!response.url().endsWith('/token')) return;
  const body = (await response.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
  for (const name of ['access_token', 'refresh_token', 'id_token'])
    if (typeof body[name] === 'string') tokens.push(body[name]);
}
