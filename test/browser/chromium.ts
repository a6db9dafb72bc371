import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { unpackedChromium } from './unpacked-chromium.ts';

/** Where systems put theirs. `CHANCERY_BROWSER` names another one, or `npm` for the package's. */
const SYSTEM_BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome-stable'];

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Nothing but this machine has a name.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
];
/** A cold start with every other test beside it. */
const LAUNCH_TIMEOUT_MS = 90_000;

/**
 * The system's Chromium, or the one that npm brought where there is none or it does not start.
 * @throws Error that says what was tried: tests that did not run must not look like tests that passed
 */
export async function launchChromium(): Promise<Browser> {
  const failures: string[] = [];
  const named = process.env['CHANCERY_BROWSER'];
  const installed = named === undefined ? SYSTEM_BROWSERS.filter((path) => existsSync(path)) : [named];
  for (const executable of installed.filter((path) => path !== 'npm')) {
    try {
      return await launched(executable, {});
    } catch (failure) {
      failures.push(`${executable}: ${String(failure)}`);
    }
  }
  try {
    const { executable, environment } = await unpackedChromium();
    return await launched(executable, environment);
  } catch (failure) {
    failures.push(`@sparticuz/chromium: ${String(failure)}`);
  }
  throw new Error(
    `No browser starts here. Install chromium, or name one in CHANCERY_BROWSER, or leave the browser tests out with CHANCERY_NO_BROWSER=1.\n${failures.join('\n')}`,
  );
}

async function launched(executablePath: string, own: Readonly<Record<string, string>>): Promise<Browser> {
  const env = Object.fromEntries(
    Object.entries({ ...process.env, ...own }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
  return await chromium.launch({ executablePath, args: ARGUMENTS, env, timeout: LAUNCH_TIMEOUT_MS });
}
