import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { unpackedChromium } from './unpacked-chromium.ts';

/** Usual places of a system's browser. `CHANCERY_BROWSER` names another path, or `npm` for the package's browser. */
const SYSTEM_BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome-stable'];

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Only this machine's names resolve.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
];
/** Enough for a cold start while every other test runs. */
const LAUNCH_TIMEOUT_MS = 90_000;
const PROBE_TIMEOUT_MS = 60_000;

/**
 * Launches the system's Chromium, or the npm package's where the system has none or its browser shows no page.
 * Each browser must show a page before it is used: one that lacks a library starts and then crashes every page.
 * @throws Error that names each browser tried and why it failed, so that the tests fail instead of being skipped
 */
export async function launchChromium(): Promise<Browser> {
  const failures: string[] = [];
  const named = process.env['CHANCERY_BROWSER'];
  const installed = named === undefined ? SYSTEM_BROWSERS.filter((path) => existsSync(path)) : [named];
  for (const executable of installed.filter((path) => path !== 'npm')) {
    try {
      return await launched(executable, {});
    } catch (failure) {
      failures.push(`${executable}: ${reasonOf(failure)}`);
    }
  }
  try {
    const { executable, environment } = await unpackedChromium();
    return await launched(executable, environment);
  } catch (failure) {
    failures.push(`@sparticuz/chromium: ${reasonOf(failure)}`);
  }
  throw new Error(
    `No browser works here: ${failures.join('; ')}. Install chromium, name a browser in CHANCERY_BROWSER, or skip the browser tests with CHANCERY_NO_BROWSER=1.`,
  );
}

async function launched(executablePath: string, own: Readonly<Record<string, string>>): Promise<Browser> {
  const env = Object.fromEntries(
    Object.entries({ ...process.env, ...own }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS, env, timeout: LAUNCH_TIMEOUT_MS });
  try {
    await showPage(browser);
    return browser;
  } catch (failure) {
    await browser.close();
    throw failure;
  }
}

/** @throws Error when the browser cannot render a text field */
async function showPage(browser: Browser): Promise<void> {
  const page = await browser.newPage();
  page.setDefaultTimeout(PROBE_TIMEOUT_MS);
  await page.setContent('<label>Name <input value="here"></label>');
  const shown = await page.getByLabel('Name').inputValue();
  if (shown !== 'here') throw new Error(`a page showed "${shown}" in a field that holds "here"`);
  await page.close();
}

function reasonOf(failure: unknown): string {
  return (failure instanceof Error ? failure.message : String(failure)).split('\n')[0] ?? '';
}
