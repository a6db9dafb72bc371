import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VERIFIER } from '../../../test/program/code-request.ts';
import { parseExactly } from '../../spec/exact-json.ts';
import {
  ACCOUNTS,
  askToken,
  DETAIL_SETTINGS,
  DETAILED_CLIENT,
  payment,
} from '../../testing/authorization-details.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { externalTenant, PAGE_TOKEN } from '../../testing/external-sign-in.ts';
import { answeredTo, aPerson } from '../../testing/person.ts';
import { CALLBACK, testTenant } from '../../testing/tenant.ts';

const text = (...details: readonly object[]): string => JSON.stringify(details);

async function askedPage(details: string, languages = 'en') {
  const tenant = testTenant({ settings: DETAIL_SETTINGS });
  const client = await tenant.register(DETAILED_CLIENT);
  const ada = await aPerson(tenant);
  const ask = async () => await ada.ask(client, { authorization_details: details, ui_locales: languages });
  return { tenant, client, ada, ask, page: await ada.signIn(await ask()) };
}

/** The words for the payment in each language of the pages. */
const WORDS = {
  en: 'pay <bdi class="chosen">123.50</bdi> <bdi class="chosen">EUR</bdi> to <bdi class="chosen">Merchant A</bdi>',
  de: '<bdi class="chosen">EUR</bdi> an <bdi class="chosen">Merchant A</bdi> zahlen',
  fr: 'payer <bdi class="chosen">123.50</bdi> <bdi class="chosen">EUR</bdi> à',
  es: 'pagar <bdi class="chosen">123.50</bdi> <bdi class="chosen">EUR</bdi> a',
};

for (const [language, words] of Object.entries(WORDS)) {
  // proves rfc9396-3-3
  test(`the consent page says in ${language} what the client asks for in detail (RFC 9396 §3)`, async () => {
    const { page } = await askedPage(text(payment()), language);
    assert.ok(page.html.includes(words), page.html);
  });
}

test('details of a type without words are shown with every member', async () => {
  const detail = { type: ACCOUNTS.type, actions: ['list', 'read'], note: { deep: [1, { a: null }] } };
  const { html } = (await askedPage(text(detail))).page;
  for (const shown of [
    'Permission of the type <code>account_information</code>',
    '<dt><code>actions</code></dt>',
    'list, read',
    '{&#34;deep&#34;:[1,{&#34;a&#34;:null}]}',
  ])
    assert.ok(html.includes(shown), `${shown} in ${html}`);
});

// H-636
test('markup, controls and turned text of a client are shown as text, apart from the words of the operator', async () => {
  const creditorName = '<b>Bob</b></bdi>{{ page.form.form_token }} \u202e001 ruE\u0000'.slice(0, -1);
  const { html } = (await askedPage(text(payment({ creditorName })))).page;
  assert.ok(
    html.includes(
      '<bdi class="chosen">&lt;b&gt;Bob&lt;/b&gt;&lt;/bdi&gt;{{ page.form.form_token }} \\u202e001 ruE</bdi>',
    ),
    html,
  );
});

// H-637
test('details are asked about each time: neither an earlier consent, nor prompt=none, nor sign-in.consent agrees to them', async () => {
  const tenant = testTenant({ settings: { ...DETAIL_SETTINGS, 'sign-in.consent': 'third-party' } });
  const client = await tenant.register(DETAILED_CLIENT);
  const ada = await aPerson(tenant);
  const asked = { authorization_details: text(payment()) };
  assert.ok(answeredTo(await ada.grant(client))['code'], 'the operator has agreed to the scope');
  assert.ok(answeredTo(await ada.grant(client, asked))['code']);
  assert.match((await ada.ask(client, asked)).html, /value="allow"/);
  const silent = answeredTo(await ada.ask(client, { ...asked, prompt: 'none' }));
  assert.equal(silent['error'], 'consent_required');
});

async function signInPage() {
  const world = await externalTenant(DETAIL_SETTINGS);
  const client = await world.tenant.register(DETAILED_CLIENT);
  const { tenant, redirectTo } = world;
  const sentOut = async () =>
    await world.sentOut({ client_id: client.client_id, authorization_details: text(payment()) });
  return {
    ...world,
    sentOut,
    /** The tokens of the client after the page has reported this consent. */
    tokens: async (consent: object): Promise<Answer> => {
      const { browser, handle } = await sentOut();
      const back = await browser.open(await redirectTo(handle, { subject: 'ada', consent }));
      const { code = '' } = answeredTo(back);
      const form = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: CALLBACK,
        code_verifier: VERIFIER,
      };
      return await askToken(tenant, client, form);
    },
  };
}

// proves rfc9396-7.1-1
test('the sign-in page of the operator reads the details, and enriches, narrows or drops them (RFC 9396 §7.1)', async () => {
  const { tenant, sentOut, tokens } = await signInPage();
  const { handle } = await sentOut();
  const described = await tenant.send('external-sign-in', { bearer: PAGE_TOKEN, id: handle });
  assert.deepEqual(described.json['authorization_details'], [payment()]);
  const enriched = payment({ paymentId: 'p-42' });
  for (const agreed of [[enriched], [payment({ actions: ['status'] })], [payment(), enriched]]) {
    const { json, body } = await tokens({ scope: ['openid'], authorization_details: agreed });
    assert.deepEqual(json['authorization_details'], agreed, body);
  }
  const without = await tokens({ scope: ['openid'], authorization_details: [] });
  assert.equal(without.status, 200, without.body);
  assert.equal('authorization_details' in without.json, false);
});

/** Consents that the page may not report, with the words for its developer. */
const REFUSED: readonly (readonly [what: string, consent: object, words: RegExp])[] = [
  ['without details', { scope: ['openid'] }, /^consent\.authorization_details must be the list/],
  ['with a text', { scope: ['openid'], authorization_details: 'all' }, /must be the list/],
  [
    'with a type that was not asked for',
    { scope: ['openid'], authorization_details: [{ type: ACCOUNTS.type }] },
    /has type 'account_information'/,
  ],
  [
    'with details that break the schema',
    { scope: ['openid'], authorization_details: [payment({ creditorName: 7 })] },
    /breaks the schema/,
  ],
  [
    // H-729
    'with a number that would change',
    {
      scope: ['openid'],
      authorization_details: parseExactly(
        JSON.stringify([payment()]).replace('"Merchant A"', '45.123456789012345678'),
      ),
    },
    /the number '45.123456789012345678', which not every reader keeps/,
  ],
  ['with nothing at all', { scope: [], authorization_details: [] }, /must (?:hold something|contain openid)/],
];

for (const [what, consent, words] of REFUSED) {
  // H-638
  test(`a consent ${what} is 400 invalid_request for the sign-in page, and the handle waits on (RFC 9396 §7.1)`, async () => {
    const { outcome, sentOut, redirectTo } = await signInPage();
    const { handle } = await sentOut();
    assertError(await outcome(handle, { subject: 'ada', consent }), 'invalid_request', words);
    await redirectTo(handle, {
      subject: 'ada',
      consent: { scope: ['openid'], authorization_details: [payment()] },
    });
  });
}

test('without a consent of the page our own page shows the details', async () => {
  const { sentOut, redirectTo } = await signInPage();
  const { browser, handle } = await sentOut();
  const page = await browser.open(await redirectTo(handle, { subject: 'bea' }));
  assert.match(page.html, /Merchant A/);
});
