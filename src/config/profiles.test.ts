import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type ResolvedSettings, resolveSettings } from './load-settings.ts';
import { PROFILES, type Profile, valuesOfProfile } from './profiles.ts';
import { SETTING_PATHS, settingAt } from './settings.ts';
import { problemLine, SettingsError } from './settings-error.ts';
import { resolveTenant, type TenantOverrides } from './tenant-overrides.ts';

const NAMES = Object.keys(PROFILES) as readonly Profile[];

const resolved = (environment: Readonly<Record<string, string>>, file?: string): ResolvedSettings =>
  resolveSettings({ mode: 'development', environment, ...(file === undefined ? {} : { file }) });

const withProfile = (profile: Profile, more: Readonly<Record<string, string>> = {}): ResolvedSettings =>
  resolved({ CHANCERY_PROFILE: profile, ...more });

function linesOf(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (failure) {
    assert.ok(failure instanceof SettingsError, String(failure));
    return failure.problems.map(problemLine);
  }
  return [];
}

const SHORT = ['authorization_code', 'refresh_token', 'client_credentials'];

test('the default profile is standard, which sets nothing (decision 52)', () => {
  const { settings, origins } = resolved({});
  assert.equal(settings.profile, 'standard');
  assert.equal(settings['authorization.pkce'], 'public-clients');
  assert.deepEqual(PROFILES.standard, []);
  assert.equal(
    SETTING_PATHS.some((path) => origins[path].startsWith('profile')),
    false,
  );
});

for (const profile of NAMES) {
  test(`each value of profile ${profile} is valid, keeps its own rule, and shows the profile as its source`, () => {
    const { settings, origins } = withProfile(profile);
    for (const { path, value, holds } of PROFILES[profile]) {
      assert.deepEqual(settingAt(path).schema.parse(value), value, path);
      assert.equal(holds(value), true, path);
      assert.deepEqual(settings[path], value, path);
      assert.equal(origins[path], `profile ${profile}`, path);
    }
    assert.deepEqual({ ...settings, ...valuesOfProfile(profile) }, settings);
    assert.equal(origins.profile, 'CHANCERY_PROFILE');
  });
}

test('an unknown profile is an error that lists the profiles (decision 52)', () => {
  assert.deepEqual(
    linesOf(() => resolved({ CHANCERY_PROFILE: 'fapi-1.0' })),
    [
      'profile: must be one of standard, oauth-2.1, mcp, fapi-2.0, fapi-2.0-message-signing, found "fapi-1.0" (CHANCERY_PROFILE)',
    ],
  );
});

// proves fapi2-sp-5.3.2.1-2, fapi2-sp-5.3.2.1-3, fapi2-sp-5.3.2.1-9, fapi2-sp-5.3.2.1-11, fapi2-sp-5.3.2.2-12
test('fapi-2.0 refuses every value that loosens a rule, each with what is allowed (FAPI 2.0 Security Profile §5.3.2, §5.4.1)', () => {
  const broken = {
    CHANCERY_AUTHORIZATION_PKCE: 'public-clients',
    CHANCERY_AUTHORIZATION_GRANT_TYPES: 'authorization_code,password',
    CHANCERY_AUTHORIZATION_PUSHED_REQUESTS: 'registered',
    CHANCERY_CLIENT_AUTHENTICATION_METHODS: 'private_key_jwt,none',
    CHANCERY_CLIENT_AUTHENTICATION_ASSERTION_AUDIENCE: 'issuer',
    CHANCERY_ACCESS_TOKEN_BINDING: 'registered',
    CHANCERY_SIGNATURES_ALGORITHMS: 'PS256,RS256',
    CHANCERY_ACCESS_TOKEN_SIGNATURE_ALGORITHM: 'RS256',
    CHANCERY_AUTHORIZATION_CODE_LIFETIME: '61',
    CHANCERY_PUSHED_REQUEST_LIFETIME: '600',
    CHANCERY_REFRESH_TOKEN_ROTATE: 'true',
    CHANCERY_AUTHORIZATION_HTTP_REDIRECTS: 'loopback',
    CHANCERY_CIBA_DELIVERY_MODES: 'poll,push',
    CHANCERY_CONSOLE_ENABLED: 'true',
  };
  const methods = 'private_key_jwt, tls_client_auth, self_signed_tls_client_auth';
  assert.deepEqual(
    linesOf(() => withProfile('fapi-2.0', broken)).map((line) => line.replace(/ with profile .*$/u, '')),
    [
      'authorization.pkce: must be "all-clients"',
      'authorization.grant-types: must not contain implicit and password',
      'authorization.pushed-requests: must be "all-clients"',
      `client-authentication.methods: must hold no value but ${methods}, and at least one`,
      'client-authentication.assertion-audience: must be "issuer-string"',
      'access-token.binding: must be "all-clients"',
      'signatures.algorithms: must hold no value but PS256, ES256, EdDSA, and at least one',
      'access-token.signature-algorithm: must be "PS256" or "ES256" or "EdDSA"',
      'authorization-code.lifetime: must be from 1 to 60',
      'pushed-request.lifetime: must be from 5 to 599',
      'refresh-token.rotate: must be false',
      'authorization.http-redirects: must be "native"',
      'ciba.delivery-modes: must hold no value but poll, ping, and at least one',
      'console.enabled: must be false',
    ],
  );
});

test('fapi-2.0-message-signing adds signed requests, a short life of their objects, and signed responses', () => {
  const broken = {
    CHANCERY_AUTHORIZATION_SIGNED_REQUESTS: 'registered',
    CHANCERY_AUTHORIZATION_REQUEST_OBJECT_LIFETIME: '0',
    CHANCERY_AUTHORIZATION_RESPONSE_MODES: 'jwt,query',
  };
  assert.deepEqual(
    linesOf(() => withProfile('fapi-2.0-message-signing', broken)).map((line) =>
      line.replace(/ with profile .*$/u, ''),
    ),
    [
      'authorization.signed-requests: must be "all-clients"',
      'authorization.request-object-lifetime: must be from 1 to 3600',
      'authorization.response-modes: must hold no value but jwt, query.jwt, fragment.jwt, form_post.jwt, and at least one',
    ],
  );
  const own = { ...broken, CHANCERY_AUTHORIZATION_SIGNED_REQUESTS: 'all-clients' };
  assert.equal(withProfile('fapi-2.0', own).settings['authorization.response-modes'].length, 2);
});

test('stricter values than those of fapi-2.0 are accepted', () => {
  const { settings } = withProfile('fapi-2.0', {
    CHANCERY_AUTHORIZATION_CODE_LIFETIME: '30',
    CHANCERY_SIGNATURES_ALGORITHMS: 'ES256',
    CHANCERY_ACCESS_TOKEN_SIGNATURE_ALGORITHM: 'ES256',
    CHANCERY_CLIENT_AUTHENTICATION_METHODS: 'private_key_jwt',
  });
  assert.deepEqual(settings['signatures.algorithms'], ['ES256']);
  assert.equal(settings['authorization-code.lifetime'], 30);
});

test('tokens that cannot be bound exclude access-token.binding, and the other way round; tokens are signed with an accepted algorithm', () => {
  const bound = { CHANCERY_ACCESS_TOKEN_BINDING: 'all-clients' };
  const direct = { CHANCERY_DIRECT_AUTHORIZATION_TOKEN_SHA256: 'a'.repeat(64) };
  const [first = ''] = linesOf(() => resolved({ ...bound, ...direct }));
  assert.match(
    first,
    /^access-token\.binding: must be registered where direct-authorization\.token-sha256 is set/,
  );
  const [second = ''] = linesOf(() => resolved(bound));
  assert.match(
    second,
    /^access-token\.binding: must be registered where authorization\.grant-types contains implicit/,
  );
  const [third = ''] = linesOf(() => resolved({ CHANCERY_SIGNATURES_ALGORITHMS: 'PS256' }));
  assert.match(third, /^access-token\.signature-algorithm: must be one of signatures\.algorithms \(PS256\)/);
});

test('oauth-2.1 requires PKCE of every client, and has no implicit and no password grant (RFC 9700 §2.1.1, §2.1.2, §2.4)', () => {
  const { settings } = withProfile('oauth-2.1');
  assert.equal(settings['authorization.pkce'], 'all-clients');
  assert.deepEqual(settings['authorization.grant-types'], [
    'authorization_code',
    'refresh_token',
    'client_credentials',
    'urn:ietf:params:oauth:grant-type:device_code',
    'urn:openid:params:grant-type:ciba',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    'urn:ietf:params:oauth:grant-type:saml2-bearer',
  ]);
  assert.equal(settings['registration.allow-open-registration'], false);
});

// H-380
test('a value that breaks a rule of the profile is an error that names the setting, the profile and both sources (H-380)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-profiles-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'chancery.yaml');
  writeFileSync(file, 'profile: mcp\n', { mode: 0o600 });
  const broken = {
    CHANCERY_AUTHORIZATION_PKCE: 'public-clients',
    CHANCERY_AUTHORIZATION_GRANT_TYPES: 'authorization_code,password',
    CHANCERY_ACCESS_TOKEN_REQUIRE_RESOURCE: 'false',
  };
  assert.deepEqual(
    linesOf(() => resolved(broken, file)),
    [
      `authorization.pkce: must be "all-clients" with profile mcp (${file}), found "public-clients" (CHANCERY_AUTHORIZATION_PKCE)`,
      `authorization.grant-types: must not contain implicit and password with profile mcp (${file}), found ["authorization_code","password"] (CHANCERY_AUTHORIZATION_GRANT_TYPES)`,
      `access-token.require-resource: must be true with profile mcp (${file}), found false (CHANCERY_ACCESS_TOKEN_REQUIRE_RESOURCE)`,
    ],
  );
});

test('a value goes before a mere default of the profile, and one that is stricter than its rule before the rule', () => {
  const { settings, origins } = withProfile('mcp', {
    CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'false',
    CHANCERY_AUTHORIZATION_GRANT_TYPES: SHORT.join(','),
  });
  assert.equal(settings['registration.allow-open-registration'], false);
  assert.equal(
    origins['registration.allow-open-registration'],
    'CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION',
  );
  assert.deepEqual(settings['authorization.grant-types'], SHORT);
});

const tenant = (process: ResolvedSettings, overrides: TenantOverrides) =>
  resolveTenant(
    process.settings,
    { issuer: 'http://127.0.0.1/b', aliases: [] },
    overrides,
    'development',
    'tenant b',
  ).settings;

test('a tenant inherits the rules of the process’s profile, but not what opens a door (decision 52)', () => {
  const settings = tenant(withProfile('mcp'), {});
  assert.equal(settings.profile, 'mcp');
  assert.equal(settings['authorization.pkce'], 'all-clients');
  assert.equal(settings['access-token.require-resource'], true);
  assert.equal(settings['registration.allow-open-registration'], false);
  assert.equal(settings['registration.client-id-metadata-documents'], false);
});

test('a tenant cannot break a rule of a profile that it inherits; the error names both (H-380)', () => {
  assert.deepEqual(
    linesOf(() => tenant(withProfile('oauth-2.1'), { 'authorization.pkce': 'public-clients' })),
    [
      'authorization.pkce: must be "all-clients" with profile oauth-2.1 (of the process), found "public-clients" (tenant b)',
    ],
  );
  const standard = { profile: 'standard', 'authorization.pkce': 'public-clients' };
  assert.equal(tenant(withProfile('oauth-2.1'), standard)['authorization.pkce'], 'public-clients');
});

test('a tenant’s own profile sets its values, also those that open a door, and leaves stricter ones of the process', () => {
  const settings = tenant(resolved({ CHANCERY_REGISTRATION_OPEN_RATE_PER_NETWORK: '5' }), { profile: 'mcp' });
  assert.equal(settings['authorization.pkce'], 'all-clients');
  assert.equal(settings['registration.allow-open-registration'], true);
  assert.equal(settings['registration.open-rate-per-network'], 5);
  const strict = resolved({ CHANCERY_AUTHORIZATION_GRANT_TYPES: SHORT.join(',') });
  assert.deepEqual(tenant(strict, { profile: 'oauth-2.1' })['authorization.grant-types'], SHORT);
});

test('the profile standard of a tenant loosens nothing that the profile of the process set', () => {
  const settings = tenant(withProfile('oauth-2.1'), { profile: 'standard' });
  assert.equal(settings['authorization.pkce'], 'all-clients');
});

test('the sources of a tenant’s values are the tenant, its profile, or none', () => {
  const { sources } = resolveTenant(
    resolved({}).settings,
    { issuer: 'http://127.0.0.1/b', aliases: [] },
    { profile: 'mcp', 'registration.open-rate': 7 },
    'development',
    'tenant b',
  );
  assert.equal(sources.get('profile'), 'tenant b');
  assert.equal(sources.get('registration.open-rate'), 'tenant b');
  assert.equal(sources.get('authorization.pkce'), 'profile mcp, tenant b');
  assert.equal(sources.get('access-token.lifetime'), undefined);
});
