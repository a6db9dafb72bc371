import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredConsent } from '../../ports/consent-store.ts';
import { isStrongerAcr } from '../../sessions/acr-values.ts';
import { aRegisteredClient, NOW, REDIRECT_URI } from '../../testing/authorization-requests.ts';
import { aSession } from '../../testing/storage/end-user-examples.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { type Circumstances, nextStep, requestedClaims } from './next-step.ts';

const client = aRegisteredClient();
const session = aSession(undefined, { auth_time: NOW - 100, acr: 'silver' });

const request: AuthorizationRequest = {
  client_id: client.client_id,
  client_instance: client.instance,
  redirect_uri: REDIRECT_URI,
  response_mode: 'query',
  response_type: ['code'],
  scope: ['openid', 'email'],
  prompt: [],
  acr_values: [],
  claims: { userinfo: {}, id_token: {} },
  resource: [],
};

const consent: StoredConsent = {
  sub: session.sub,
  client_id: client.client_id,
  instance: client.instance,
  scope: ['email', 'openid'],
  claims: ['birthdate'],
  resources: ['https://api.example/a'],
  granted_at: NOW,
  updated_at: NOW,
};

const usual: Circumstances = {
  session,
  sub: session.sub,
  consent,
  consentImplied: false,
  signedIn: false,
  consented: false,
  canSignInWith: (acr) => acr !== 'gold',
  isStronger: () => false,
  acrRequired: false,
  now: NOW,
};

type Row = readonly [
  title: string,
  change: Partial<AuthorizationRequest>,
  circumstances: Partial<Circumstances>,
  outcome: string,
];

const claims = (id_token: AuthorizationRequest['claims']['id_token']): Partial<AuthorizationRequest> => ({
  claims: { userinfo: {}, id_token },
});

const ASCENDING = {
  'sign-in.acr-values': ['bronze', 'silver', 'silver-plus'],
  'sign-in.acr-ascending': true,
};
const ORDERED: Partial<Circumstances> = { isStronger: (acr, than) => isStrongerAcr(ASCENDING, acr, than) };

const NOBODY = { session: undefined, sub: undefined };

const ROWS: readonly Row[] = [
  ['an end-user who is signed in and agreed before', {}, {}, 'grant'],
  ['nobody', {}, NOBODY, 'sign-in'],
  [
    'no session, prompt none (oidcc-prompt-none-not-logged-in)',
    { prompt: ['none'] },
    NOBODY,
    'login_required',
  ],
  ['prompt none (oidcc-prompt-none-logged-in)', { prompt: ['none'] }, {}, 'grant'],
  ['prompt login (oidcc-prompt-login)', { prompt: ['login'] }, {}, 'sign-in'],
  ['prompt login, just signed in', { prompt: ['login'] }, { signedIn: true }, 'grant'],
  ['prompt select_account', { prompt: ['select_account'] }, {}, 'sign-in'],
  ['max_age that has passed', { max_age: 99 }, {}, 'sign-in'],
  ['max_age that has not', { max_age: 100 }, {}, 'grant'],
  ['max_age 0, just signed in', { max_age: 0 }, { signedIn: true }, 'grant'],
  [
    'max_age 0, within the second of a sign-in elsewhere',
    { max_age: 0 },
    { now: session.auth_time },
    'sign-in',
  ],
  ['max_age that has passed, prompt none', { max_age: 99, prompt: ['none'] }, {}, 'login_required'],
  ['the hinted person', { hinted_sub: session.sub }, {}, 'grant'],
  ['another one than was hinted at', { hinted_sub: 'another' }, {}, 'sign-in'],
  [
    'another one than was hinted at, just signed in',
    { hinted_sub: 'x' },
    { signedIn: true },
    'login_required',
  ],
  [
    'another one than was hinted at, prompt none',
    { hinted_sub: 'x', prompt: ['none'] },
    {},
    'login_required',
  ],
  ['another one than claims demand', claims({ sub: { value: 'another' } }), {}, 'sign-in'],
  [
    'an essential acr that is met',
    claims({ acr: { essential: true, values: ['gold', 'silver'] } }),
    {},
    'grant',
  ],
  [
    'an essential acr that is not met',
    claims({ acr: { essential: true, value: 'gold' } }),
    {},
    'unmet_authentication_requirements',
  ],
  ['a voluntary acr that is not met', claims({ acr: { value: 'gold' } }), {}, 'grant'],
  ['nothing agreed to', {}, { consent: undefined }, 'consent'],
  ['nothing agreed to, prompt none', { prompt: ['none'] }, { consent: undefined }, 'consent_required'],
  ['nothing agreed to, consent implied', {}, { consent: undefined, consentImplied: true }, 'grant'],
  [
    'offline access, consent implied (OpenID Connect Core 1.0 §11)',
    { scope: ['openid', 'offline_access'] },
    { consent: undefined, consentImplied: true },
    'consent',
  ],
  ['a scope value more than agreed to', { scope: ['openid', 'phone'] }, {}, 'consent'],
  ['a claim that was agreed to', claims({ birthdate: null }), {}, 'grant'],
  ['a claim more than agreed to', claims({ birthdate: null, address: null }), {}, 'consent'],
  ['a claim about the authentication', claims({ auth_time: { essential: true } }), {}, 'grant'],
  ['a resource that was agreed to (RFC 8707 §2.1)', { resource: ['https://api.example/a'] }, {}, 'grant'],
  [
    'a resource more than agreed to (RFC 8707 §2.1)',
    { resource: ['https://api.example/a', 'https://api.example/b'] },
    {},
    'consent',
  ],
  ['prompt consent', { prompt: ['consent'] }, { consentImplied: true }, 'consent'],
  ['prompt consent, just agreed', { prompt: ['consent'] }, { consented: true }, 'grant'],
  [
    'prompt login and consent, just signed in',
    { prompt: ['login', 'consent'] },
    { signedIn: true },
    'consent',
  ],
];

/** The session is `silver`; a sign-in can be anything but `gold`. */
const ACR_ROWS: readonly Row[] = [
  ['acr_values that are met', { acr_values: ['gold', 'silver'] }, {}, 'grant'],
  ['acr_values that a sign-in can meet', { acr_values: ['bronze'] }, {}, 'sign-in'],
  ['acr_values that a sign-in can meet, after one', { acr_values: ['bronze'] }, { signedIn: true }, 'grant'],
  [
    'acr_values that a sign-in can meet, prompt none',
    { acr_values: ['bronze'], prompt: ['none'] },
    {},
    'grant',
  ],
  ['acr_values that no sign-in can meet', { acr_values: ['gold'] }, {}, 'grant'],
  ['required acr_values that are met', { acr_values: ['gold', 'silver'] }, { acrRequired: true }, 'grant'],
  ['required acr_values', { acr_values: ['gold', 'bronze'] }, { acrRequired: true }, 'sign-in'],
  [
    'required acr_values, after a sign-in without them',
    { acr_values: ['bronze'] },
    { acrRequired: true, signedIn: true },
    'unmet_authentication_requirements',
  ],
  [
    'required acr_values that no sign-in can meet',
    { acr_values: ['gold'] },
    { acrRequired: true },
    'unmet_authentication_requirements',
  ],
  [
    'required acr_values, prompt none',
    { acr_values: ['bronze'], prompt: ['none'] },
    { acrRequired: true },
    'login_required',
  ],
  [
    'required acr_values and no acr at all',
    { acr_values: ['bronze'] },
    { acrRequired: true, signedIn: true, session: { ...session, acr: null } },
    'unmet_authentication_requirements',
  ],
  ['acr_values below that of the session', { acr_values: ['bronze'] }, ORDERED, 'grant'],
  [
    'required acr_values below that of the session',
    { acr_values: ['bronze'] },
    { ...ORDERED, acrRequired: true },
    'grant',
  ],
  ['acr_values above that of the session', { acr_values: ['silver-plus'] }, ORDERED, 'sign-in'],
  [
    'acr_values, with a session without acr',
    { acr_values: ['bronze'] },
    { ...ORDERED, session: { ...session, acr: null } },
    'sign-in',
  ],
  [
    'an essential acr below that of the session',
    claims({ acr: { essential: true, value: 'bronze' } }),
    ORDERED,
    'sign-in',
  ],
  ['a voluntary acr below that of the session', claims({ acr: { value: 'bronze' } }), ORDERED, 'grant'],
  [
    'an essential acr that a sign-in can meet',
    claims({ acr: { essential: true, value: 'bronze' } }),
    {},
    'sign-in',
  ],
  [
    'an essential acr, after a sign-in without it',
    claims({ acr: { essential: true, value: 'bronze' } }),
    { signedIn: true },
    'unmet_authentication_requirements',
  ],
  [
    'max_age 0, a session of this second',
    { max_age: 0 },
    { session: { ...session, auth_time: NOW } },
    'sign-in',
  ],
];

for (const [title, change, circumstances, outcome] of ACR_ROWS) {
  // proves rfc9470-5-1, rfc9470-5-2
  test(`${title}: ${outcome} (RFC 9470 §5)`, () => {
    const next = nextStep({ ...request, ...change }, { ...usual, ...circumstances });
    assert.equal(next.step === 'refuse' ? next.error : next.step, outcome);
  });
}

for (const [title, change, circumstances, outcome] of ROWS) {
  // proves openid-core-3.1.2.1-3, openid-core-5.5.1.1-1
  test(`${title}: ${outcome} (OpenID Connect Core 1.0 §3.1.2.3, §3.1.2.4)`, () => {
    const next = nextStep({ ...request, ...change }, { ...usual, ...circumstances });
    assert.equal(next.step === 'refuse' ? next.error : next.step, outcome);
  });
}

test('claims that need consent are named once, in order; those about the authentication are not among them', () => {
  const asked = {
    userinfo: { email: null, name: null },
    id_token: { email: null, acr: null, auth_time: null },
  };
  assert.deepEqual(requestedClaims({ claims: asked }), ['email', 'name']);
});

test('without sign-in.acr-ascending, or for a value that is not listed, no acr is stronger than another', () => {
  assert.equal(isStrongerAcr(ASCENDING, 'silver', 'bronze'), true);
  assert.equal(isStrongerAcr(ASCENDING, 'bronze', 'bronze'), false);
  assert.equal(isStrongerAcr({ ...ASCENDING, 'sign-in.acr-ascending': false }, 'silver', 'bronze'), false);
  for (const [acr, than] of [
    ['gold', 'bronze'],
    ['silver', 'gold'],
    ['gold', 'gold'],
  ] as const)
    assert.equal(isStrongerAcr(ASCENDING, acr, than), false, `${acr} ${than}`);
});
