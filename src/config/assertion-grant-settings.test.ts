import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSettings } from './load-settings.ts';
import { settingAt } from './settings.ts';
import { SettingsError } from './settings-error.ts';

const PATH = 'assertion-grants.issuers';
const KEYS = { jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'eHg', y: 'eXk', kid: 'a' }] } };
const JWT = { issuer: 'https://a.example', kind: 'jwt', ...KEYS, 'subject-prefix': 'a:', scope: ['read'] };
const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const SAML = { issuer: 'urn:b', kind: 'saml', certificates: [PEM], 'subject-prefix': 'b:', scope: ['read'] };

function loaded(issuers: readonly object[]): unknown {
  const environment = { CHANCERY_ASSERTION_GRANTS_ISSUERS: JSON.stringify(issuers) };
  return loadSettings({ mode: 'development', environment })[PATH];
}

/** Without the common beginning. */
function problemsOf(...issuers: readonly object[]): readonly string[] {
  try {
    loaded(issuers);
  } catch (failure) {
    assert.ok(failure instanceof SettingsError, String(failure));
    return failure.problems.map(({ path, rule }) => `${path.slice(PATH.length)}: ${rule}`);
  }
  return [];
}

test('issuers of both kinds are taken; what is not said is the safe choice', () => {
  assert.deepEqual(loaded([JWT, SAML]), [{ ...JWT, 'require-jti': true }, SAML]);
});

test('everything that may be said of an issuer', () => {
  const common = {
    'subject-from': 'email address',
    subjects: ['a', 'b c'],
    clients: ['x'],
    audiences: ['urn:us'],
    algorithms: ['ES256'],
  };
  const { jwks: _, ...published } = {
    ...JWT,
    ...common,
    'jwks-uri': 'https://a.example/jwks',
    'require-jti': false,
    uses: ['grant', 'subject-token', 'actor-token'],
    claims: { email: 'mail' },
  };
  assert.deepEqual(loaded([published, { ...SAML, ...common }]), [published, { ...SAML, ...common }]);
});

test('what an issuer must and must not have is said by its path', () => {
  const rows: readonly (readonly [object, string])[] = [
    [{ ...JWT, kind: 'x' }, '[0].kind: must be a map with kind jwt or saml'],
    [{ ...JWT, jwks: undefined }, '[0]: must have either jwks or jwks-uri'],
    [{ ...JWT, 'jwks-uri': 'https://a.example' }, '[0]: must have either jwks or jwks-uri'],
    [
      { ...JWT, jwks: { keys: [{ kty: 'EC', d: 'x' }] } },
      '[0].jwks.keys[0]: must not be a private or symmetric key',
    ],
    [{ ...JWT, uses: ['x'] }, '[0].uses[0]: must be one of grant, subject-token, actor-token, id-jag'],
    [
      { ...JWT, uses: [] },
      '[0].uses: must be a list out of grant, subject-token, actor-token, id-jag, at least one',
    ],
    [
      { ...JWT, claims: { sub: 'x' } },
      '[0].claims: must not name a claim of the server: iss, sub, aud, exp, nbf, iat, jti, scope, client_id, cnf, act, may_act, active, token_type, username, clm, cld, dat, sid, azp, __proto__',
    ],
    [{ ...JWT, algorithms: ['HS256'] }, '[0].algorithms[0]: must be a signature algorithm of JWTs'],
    [{ ...JWT, algorithms: ['none'] }, '[0].algorithms[0]: must be a signature algorithm of JWTs'],
    [{ ...JWT, scope: [] }, '[0].scope: must be a list of scope values, at least one'],
    [{ ...JWT, scope: ['client-reg'] }, '[0].scope[0]: must not be a scope of client registration'],
    [
      { ...JWT, scope: ['a b'] },
      '[0].scope[0]: must be a scope value, without spaces, quotes and backslashes',
    ],
    [{ ...JWT, certificates: [PEM] }, '[0].certificates: is not a setting'],
    [
      { ...JWT, 'subject-prefix': undefined },
      '[0]: must have subject-prefix, subjects or both, so that its subjects cannot be mistaken for others',
    ],
    [
      { ...SAML, algorithms: ['EdDSA'] },
      '[0].algorithms[0]: must be a signature algorithm of SAML assertions',
    ],
    [{ ...SAML, certificates: [] }, '[0].certificates: must be a list of certificates in PEM, at least one'],
    [{ ...SAML, certificates: ['MIIB'] }, '[0].certificates[0]: must be a certificate in PEM'],
    [{ ...SAML, 'require-jti': true }, '[0].require-jti: is not a setting'],
  ];
  for (const [issuer, problem] of rows) assert.deepEqual(problemsOf(issuer), [problem]);
  assert.deepEqual(problemsOf(JWT, JWT), [': must not name an issuer twice']);
});

test('no issuer can name another’s subjects: a prefix that begins another’s, or that reaches a listed subject, is refused (RFC 9700 §4.15)', () => {
  const other = { ...JWT, issuer: 'https://b.example' };
  const refused = /^: must not have a subject-prefix/;
  for (const change of [
    { 'subject-prefix': 'a:' },
    { 'subject-prefix': '' },
    { 'subject-prefix': 'a:b' },
    { 'subject-prefix': undefined, subjects: ['bob', 'a:alice'] },
  ]) {
    for (const pair of [
      [JWT, { ...other, ...change }],
      [{ ...other, ...change }, JWT],
    ]) {
      assert.match(problemsOf(...pair).join('\n'), refused, JSON.stringify(change));
    }
  }
  assert.deepEqual(problemsOf(JWT, { ...other, 'subject-prefix': undefined, subjects: ['alice'] }), []);
  assert.deepEqual(problemsOf(JWT, { ...SAML, issuer: JWT.issuer, 'subject-prefix': 'a:' }), []);
  assert.deepEqual(problemsOf({ ...JWT, 'subject-prefix': '' }), []);
});

test('a tenant does not inherit the trusted issuers of the process by that (decision 38)', () => {
  assert.equal(settingAt(PATH).tenants, 'own');
});
