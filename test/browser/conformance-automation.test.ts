import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { objectOf } from '../conformance/http.ts';
import { ACCOUNT } from '../conformance/real-suite/account.ts';
import type { BrowserCommand, BrowserRule } from '../conformance/real-suite/suite-configuration.ts';
import { suiteConfiguration } from '../conformance/real-suite/suite-configuration.ts';
import { openSites, type Sites } from '../conformance/site.ts';
import { type StartedTarget, startChancery } from '../conformance/targets/chancery.ts';
import { formText } from '../program/code-request.ts';
import { certificateAuthority } from '../tls/certificate.ts';
import { newBrowser } from './browser.ts';

/** As the suite's own page after an answer. */
const COMPLETE = '<!doctype html><title>suite</title><p id="submission_complete">done</p>';

/** The tasks that the suite's browser would follow, in Chromium: every element that they name must be there. */
suite('automation for the conformance suite', () => {
  let started: StartedTarget;
  let sites: Sites;
  let base: string;
  let client_id: string;

  before(async () => {
    const authority = certificateAuthority();
    sites = await openSites(authority.issue({ addresses: ['127.0.0.1'] }));
    started = await startChancery(authority, sites);
    const site = sites.open('automated');
    site.publish('/callback', 'text/html', COMPLETE);
    base = site.fetchUrl;
    const registered = await started.target.send(`${started.target.issuer}/register`, {
      json: { redirect_uris: [`${base}/callback`], scope: 'openid' },
      headers: { authorization: `Bearer ${started.target.operatorToken}` },
    });
    client_id = String(objectOf(registered)['client_id']);
  });
  after(async () => {
    await started.stop();
    await sites.close();
  });

  const rulesFor = (module?: string): readonly BrowserRule[] => {
    const { issuer } = started.target;
    const { username } = ACCOUNT;
    const made = suiteConfiguration({
      issuer,
      alias: 'static',
      username,
      password: started.password,
      clients: {},
    });
    const own = made['override'] as Record<string, { browser: readonly BrowserRule[] }>;
    return module === undefined ? (made['browser'] as readonly BrowserRule[]) : (own[module]?.browser ?? []);
  };

  const request = (change: Readonly<Record<string, string>> = {}): string =>
    `${started.target.issuer}/authorize?${formText({
      client_id,
      response_type: 'code',
      scope: 'openid',
      redirect_uri: `${base}/callback`,
      state: 'state',
      ...change,
    })}`;

  const logout = (change: Readonly<Record<string, string>> = {}): string =>
    `${started.target.issuer}/logout?${formText(change)}`;

  test('sign-in, with and without consent, and form_post: the tasks end at the suite', async () => {
    const page = await newPage();
    await follow(page, request({ prompt: 'consent' }), rulesFor());
    assert.match(page.url(), /callback\?code=/);
    await follow(page, request(), rulesFor());
    await follow(page, request({ response_mode: 'form_post', prompt: 'login' }), rulesFor());
    assert.equal(page.url(), `${base}/callback`);
  });

  test('prompt=login: the screenshot is of the second sign-in page', async () => {
    const page = await newPage();
    await follow(page, request(), rulesFor('oidcc-prompt-login'));
    const seen = await follow(page, request({ prompt: 'login' }), rulesFor('oidcc-prompt-login'));
    assert.deepEqual(seen, ['Sign in']);
  });

  test('pages that a person judges: errors, the first sign-in page, the question and the end of a logout', async () => {
    const page = await newPage();
    const error = await follow(
      page,
      request({ redirect_uri: `${base}/other` }),
      rulesFor('oidcc-ensure-registered-redirect-uri'),
    );
    assert.equal(error.length, 1);
    assert.deepEqual(await follow(page, request(), rulesFor('oidcc-registration-tos-uri')), ['Sign in']);
    await follow(page, request(), rulesFor());
    const asked = await follow(
      page,
      logout({ id_token_hint: 'a.b.c' }),
      rulesFor('oidcc-rp-initiated-logout-bad-id-token-hint'),
    );
    assert.equal(asked.length, 1);
    const after = await follow(page, logout(), rulesFor('oidcc-rp-initiated-logout-no-params'));
    assert.deepEqual(after, ['You are signed out']);
  });
});

async function newPage(): Promise<Page> {
  const context = await newBrowser({ ignoreHTTPSErrors: true });
  return await context.newPage();
}

/** Follows the tasks as the suite does. Returns the headings of its screenshots. */
async function follow(
  page: Page,
  address: string,
  rules: readonly BrowserRule[],
): Promise<readonly string[]> {
  const seen: string[] = [];
  await page.goto(address);
  const rule = rules.find(({ match }) => matches(match, address));
  assert.ok(rule !== undefined, `no rule for ${address}`);
  for (const { match, optional, commands = [], task } of rule.tasks) {
    await page.waitForLoadState('load');
    if (task.startsWith('The suite')) await page.waitForURL('**/test/a/**');
    if (!matches(match, page.url())) {
      assert.equal(optional, true, `${task}: ${page.url()} is not ${match}`);
      continue;
    }
    for (const command of commands) seen.push(...(await perform(page, command)));
  }
  return seen;
}

/** The suite compares the whole address, with `*` for any text. */
function matches(pattern: string, url: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.?+^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(url);
}

async function perform(
  page: Page,
  [command, by, target, ...more]: BrowserCommand,
): Promise<readonly string[]> {
  if (by === 'contains') {
    await page.waitForURL((url) => url.href.includes(String(target)));
    return [];
  }
  const found = page.locator(by === 'id' ? `#${target}` : String(target)).first();
  const optional = more.includes('optional') || more.some((each) => String(each).endsWith('-optional'));
  if (optional && (await found.count()) === 0) return [];
  if (command === 'text') await found.fill(String(more[0]));
  else if (command === 'click') await Promise.all([page.waitForNavigation(), found.click()]);
  else {
    const words = (await found.textContent()) ?? '';
    if (more.length > 1) return [words.trim()];
  }
  return [];
}
