import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { initialAccessToken } from '../journeys/initial-access-token.ts';
import { endedWithTests } from '../program/children.ts';
import { developer } from '../program/developer.ts';
import type { Program } from '../program/start.ts';

const WEBSITE = fileURLToPath(new URL('../../examples/relying-party/relying-party.mjs', import.meta.url));
const START_TIMEOUT_MS = 30_000;

/** The sample relying party, started as in README, and the end-user of the development server. */
export interface SampleWebsite {
  readonly client_id: string;
  /** `http://localhost:…`, while the server is at 127.0.0.1: another site to every browser. */
  readonly origin: string;
  readonly person: { readonly username: string; readonly password: string };
  stop(): Promise<void>;
}

/** Starts a website of its own for each test, so that no earlier consent exists. */
export async function startSampleWebsite(program: Program): Promise<SampleWebsite> {
  const token = await initialAccessToken(program, ['client-reg']);
  return { ...(await startWebsite(program.issuer, token)), person: await developer(program) };
}

type Website = Omit<SampleWebsite, 'person'>;

/** @param environment beside what every process has */
export async function startWebsite(
  issuer: string,
  token: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Website> {
  const words = ['--issuer', issuer, '--initial-access-token', token, '--port', '0'];
  const { found, stop } = await startExample(WEBSITE, words, /relying party (\S+) on (\S+)\n/, environment);
  const [, client_id = '', origin = ''] = found;
  return { client_id, origin, stop };
}

interface StartedExample {
  /** The match in its output that told that it is ready. */
  readonly found: RegExpExecArray;
  readonly stop: () => Promise<void>;
}

/** Starts one of the examples, and waits until it says that it is ready. */
export async function startExample(
  file: string,
  words: readonly string[],
  ready: RegExp,
  environment: Readonly<Record<string, string>>,
): Promise<StartedExample> {
  const child = endedWithTests(
    spawn(process.execPath, [file, ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    }),
  );
  const exited = once(child, 'close');
  return {
    found: await printed(child, ready),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Resolves with the match once the child has printed it. */
async function printed(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      const found = pattern.exec(output);
      if (found !== null) resolve(found);
    });
  }
  const fail = (): void => reject(new Error(`${String(pattern)} was not printed:\n${output}`));
  child.once('close', fail);
  const deadline = setTimeout(() => {
    child.kill('SIGKILL');
    fail();
  }, START_TIMEOUT_MS);
  try {
    return await promise;
  } finally {
    clearTimeout(deadline);
  }
}

/** Fills in the sign-in page that is shown, and sends it. */
export async function signIn(page: Page, { username, password }: SampleWebsite['person']): Promise<void> {
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** From the website's front page to being signed in there, with consent. */
export async function signInAtWebsite(context: BrowserContext, website: SampleWebsite): Promise<Page> {
  const page = await context.newPage();
  await page.goto(website.origin);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await signIn(page, website.person);
  await page.getByRole('button', { name: 'Allow' }).click();
  await heading(page, 'Signed in');
  return page;
}

/** Waits for the page with this first heading. */
export async function heading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

/** Returns the claims that the website shows. */
export async function shownClaims(page: Page): Promise<Record<string, unknown>> {
  return JSON.parse((await page.locator('pre').textContent()) ?? '') as Record<string, unknown>;
}
