import { after } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { launchChromium } from './chromium.ts';

/** For what a page is to do next; only a fault takes as long. */
const STEP_TIMEOUT_MS = 45_000;

let launching: Promise<Browser> | undefined;

after(async () => {
  const browser = await launching?.catch(() => undefined);
  await browser?.close();
});

/** One Chromium for all tests of this process; a browser of one's own, without cookies, for each. */
export async function newBrowser(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  launching ??= launchChromium();
  const browser = await launching;
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  return context;
}
