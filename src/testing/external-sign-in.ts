import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Fields } from '../../test/program/code-request.ts';
import type { PlainBrowser } from '../../test/program/plain-browser.ts';
import type { Settings } from '../config/settings.ts';
import type { Answer } from './exchange.ts';
import { authorizationUrl, browserOf, RELYING_PARTY } from './person.ts';
import { type ClientInformation, type TestTenant, testTenant } from './tenant.ts';

const PAGE = 'https://login.example.net/start?brand=1';
export const PAGE_TOKEN = 'token-of-the-operators-own-sign-in-page-012345';

/** A tenant whose people sign in at the operator's own page. */
export interface ExternalTenant {
  readonly tenant: TestTenant;
  readonly client: ClientInformation;
  /** A browser that was sent out to sign in. */
  readonly sentOut: (change?: Fields, browser?: PlainBrowser) => Promise<SentOut>;
  /** The posts of the page's server. */
  readonly outcome: (handle: string, json: unknown) => Promise<Answer>;
  /** The same, where it is taken: where the browser is to be sent. */
  readonly redirectTo: (handle: string, json: unknown) => Promise<string>;
}

export interface SentOut {
  readonly browser: PlainBrowser;
  readonly handle: string;
}

export async function externalTenant(settings: Partial<Settings> = {}): Promise<ExternalTenant> {
  const digest = createHash('sha256').update(PAGE_TOKEN).digest('hex');
  const tenant = testTenant({
    settings: {
      'sign-in.external-url': PAGE,
      'sign-in.token-sha256': [`page:${digest}`],
      'sign-in.consent': 'always',
      ...settings,
    },
  });
  const client = await tenant.register({ ...RELYING_PARTY, policy_uri: 'https://client.example/privacy' });
  const outcome: ExternalTenant['outcome'] = async (id, json) =>
    await tenant.send('external-sign-in-outcome', { bearer: PAGE_TOKEN, id, json });
  return {
    tenant,
    client,
    outcome,
    async sentOut(change, browser = browserOf(tenant)) {
      const { location = '' } = await browser.open(authorizationUrl(client, change));
      const address = new URL(location);
      const handle = address.searchParams.get('interaction') ?? '';
      address.searchParams.delete('interaction');
      assert.equal(address.href, PAGE, location);
      return { browser, handle };
    },
    async redirectTo(handle, json) {
      const answer = await outcome(handle, json);
      assert.equal(answer.status, 200, answer.body);
      return String(answer.json['redirect_to']);
    },
  };
}
