import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fromJSONSchema } from 'zod';
import { configurationSchema } from './configuration-schema.ts';
import { loadSettings } from './load-settings.ts';
import { SettingsError } from './settings-error.ts';
import type { ConfiguredStatementIssuer } from './software-statement-issuers.ts';

const PATH = 'registration.software-statement-issuers';
const folder = mkdtempSync(join(tmpdir(), 'chancery-statements-'));
after(() => rmSync(folder, { recursive: true }));

/** From a YAML file with these lines below the setting. */
function loaded(yaml: string): readonly ConfiguredStatementIssuer[] {
  const file = join(folder, 'chancery.yaml');
  const lines = yaml.trim().split('\n');
  writeFileSync(
    file,
    `registration:\n  software-statement-issuers:\n${lines.map((line) => `    ${line}\n`).join('')}`,
  );
  return loadSettings({ mode: 'development', file, environment: {} })[PATH];
}

/** Without the common beginning and the source. */
function problemsOf(yaml: string): readonly string[] {
  try {
    loaded(yaml);
  } catch (failure) {
    assert.ok(failure instanceof SettingsError, String(failure));
    assert.ok(failure.problems.every(({ path, found }) => path.startsWith(PATH) && found === undefined));
    return failure.problems.map(({ path, rule }) => `${path.slice(PATH.length)}: ${rule}`);
  }
  return [];
}

const KEY = '{ kty: EC, crv: P-256, x: eHg, y: eXk, kid: a }';

test('issuers come from YAML with their keys or the URL of them; what is not said is the safe choice', () => {
  const issuers = loaded(`
- issuer: https://publisher.example
  jwks: { keys: [${KEY}] }
- issuer: urn:publisher:2
  jwks-uri: https://two.example/jwks
  authorises-registration: true
  approved-software-ids: [app, tool]
`);
  assert.deepEqual(issuers, [
    {
      issuer: 'https://publisher.example',
      jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'eHg', y: 'eXk', kid: 'a' }] },
      'authorises-registration': false,
    },
    {
      issuer: 'urn:publisher:2',
      'jwks-uri': 'https://two.example/jwks',
      'authorises-registration': true,
      'approved-software-ids': ['app', 'tool'],
    },
  ]);
});

test('in the environment the same is JSON, and text that is none is refused', () => {
  const variable = 'CHANCERY_REGISTRATION_SOFTWARE_STATEMENT_ISSUERS';
  const given = [{ issuer: 'https://publisher.example', 'jwks-uri': 'https://publisher.example/jwks' }];
  const settings = (text: string) => loadSettings({ mode: 'development', environment: { [variable]: text } });
  assert.deepEqual(settings(JSON.stringify(given))[PATH], [
    { ...given[0], 'authorises-registration': false },
  ]);
  assert.throws(
    () => settings('https://publisher.example'),
    /software-statement-issuers: must be a list of maps/,
  );
});

test('every problem is reported at once, each with its path', () => {
  assert.deepEqual(
    problemsOf(`
- issuer: "two words"
  jwks-uri: ftp://one.example
  authorises-registration: "yes"
  authorises-registrations: true
- jwks: { keys: [] }
- issuer: https://three.example
  jwks: { keys: [{ kid: a }, 7], x: 1 }
  approved-software-ids: [app, ""]
- https://four.example
`),
    [
      '[0].issuer: must be the iss of the statements, without spaces',
      '[0].jwks-uri: must be an http or https URL',
      '[0].authorises-registration: must be true or false',
      '[0].authorises-registrations: is not a setting',
      '[1].issuer: must be the iss of the statements, without spaces',
      '[1].jwks.keys: must hold a key',
      '[2].jwks.keys[0].kty: must be a key type (RFC 7517 §4.1)',
      '[2].jwks.keys[1]: must be a JWK',
      '[2].jwks.x: is not a setting',
      '[2].approved-software-ids[1]: must be a software_id, without spaces',
      '[3]: must be a map of issuer, jwks or jwks-uri, authorises-registration and approved-software-ids',
    ],
  );
});

test('an issuer has its keys in one way, and stands there once', () => {
  const uri = 'jwks-uri: https://a.example/jwks';
  assert.deepEqual(problemsOf('- issuer: a'), ['[0]: must have either jwks or jwks-uri']);
  const both = problemsOf(`- { issuer: a, ${uri}, jwks: { keys: [${KEY}] } }`);
  assert.deepEqual(both, ['[0]: must have either jwks or jwks-uri']);
  assert.deepEqual(problemsOf(`- { issuer: a, ${uri} }\n- { issuer: a, ${uri} }`), [
    ': must not name an issuer twice',
  ]);
});

test('a private or symmetric key is refused, and its value is not shown', () => {
  for (const member of ['d: c2VjcmV0', 'k: c2VjcmV0']) {
    const yaml = `- { issuer: a, jwks: { keys: [{ kty: EC, ${member} }] } }`;
    assert.deepEqual(problemsOf(yaml), ['[0].jwks.keys[0]: must not be a private or symmetric key']);
  }
});

test('a key that is given twice inside a map is refused, with its line', () => {
  assert.deepEqual(problemsOf('- issuer: a\n  jwks-uri: https://a.example\n  issuer: b'), [
    ': holds a map with a key that is given twice, again at line 5',
  ]);
});

test('the JSON Schema accepts and refuses the same forms', () => {
  const schema = fromJSONSchema(configurationSchema());
  const accepts = (issuers: unknown) =>
    schema.safeParse({ registration: { 'software-statement-issuers': issuers } }).success;
  assert.equal(accepts([{ issuer: 'a', 'jwks-uri': 'https://a.example' }]), true);
  assert.equal(accepts([{ issuer: 'a', jwks: { keys: [{ kty: 'EC', x: 'eHg' }] } }]), true);
  for (const bad of [
    {},
    'a',
    [{ issuer: 'a b' }],
    [{ issuer: 'a', other: 1 }],
    [{ issuer: 'a', jwks: {} }],
  ]) {
    assert.equal(accepts(bad), false, JSON.stringify(bad));
  }
});
