import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Storage, TenantStorage } from '../../src/ports/storage.ts';
import type { Subject, TenantId } from '../../src/spec/identifiers.ts';
import { authorizeUrl, browserAt, type Registered, register } from '../hostile/sign-in-world.ts';
import { developer } from '../program/developer.ts';
import { formOf, type PlainBrowser, type Visit } from '../program/plain-browser.ts';
import { type Program, startProgram } from '../program/start.ts';
import { openProgramStorage } from '../program/storage-place.ts';

/** An end-user who clicks twice, and a client that sends a form many times at once: one response counts. Runs on both engines. */
const AT_ONCE = 6;
let program: Program;
let storage: Storage;
let tenant: TenantStorage;
let account: { readonly username: string; readonly password: string };
let client: Registered;

before(async () => {
  program = await startProgram({ mode: 'dev', environment: { CHANCERY_SIGN_IN_CONSENT: 'always' } });
  account = await developer(program);
  storage = await openProgramStorage(program.folder);
  tenant = storage.forTenant(program.tenant as TenantId);
  client = await register(program);
});

after(async () => {
  await program.stop();
  await storage.close();
});

/** Sends the form of a page with each of these buttons at once, as browsers that share their cookies; no redirection is followed. */
async function atOnce(
  browser: PlainBrowser,
  page: Visit,
  choices: readonly string[],
): Promise<readonly Visit[]> {
  const { action, hidden } = formOf(page.html);
  const url = new URL(action, page.url).href;
  const send = async (choice: string): Promise<Visit> =>
    await browser.visit(url, { ...hidden, ...account, choice });
  return await Promise.all(choices.map(send));
}

const isOver = ({ status }: Visit): boolean => status === 400;

async function subject(): Promise<Subject> {
  const [found] = await tenant.accounts.page(undefined, 1);
  return found?.sub ?? assert.fail('no account');
}

test('a sign-in form many times at once: one session, and one answer that goes on', async () => {
  const browser = browserAt(program);
  const page = await browser.open(authorizeUrl(program, client));
  const before = await sessions();
  const answers = await atOnce(
    browser,
    page,
    Array.from({ length: AT_ONCE }, () => 'sign-in'),
  );
  assert.equal(answers.filter(isOver).length, AT_ONCE - 1);
  assert.equal((await sessions()) - before, 1);
});

test('agreed and refused many times at once: one answer, and what is remembered is what was answered', async () => {
  for (let round = 0; round < 5; round += 1) {
    const relying = await register(program);
    const browser = browserAt(program);
    const page = await browser.submit(await browser.open(authorizeUrl(program, relying)), 'sign-in', account);
    const choices = Array.from({ length: AT_ONCE }, (_, index) => (index % 2 === 0 ? 'allow' : 'deny'));
    const answers = await atOnce(browser, page, choices);
    const [answered, ...others] = answers.filter((answer) => !isOver(answer));
    assert.equal(others.length, 0);
    const consents = await tenant.consents.ofSubject(await subject());
    const remembered = consents.some(({ client_id }) => client_id === relying.client_id);
    assert.equal(remembered, answered?.location?.includes('code=') === true, answered?.location ?? '');
  }
});

async function sessions(): Promise<number> {
  return (await tenant.sessions.ofSubject(await subject())).length;
}
