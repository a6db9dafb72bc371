import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSettings } from './load-settings.ts';
import { SETTING_PATHS, settingAt } from './settings.ts';
import { SettingsError } from './settings-error.ts';
import { keptOverrides, overrideFromText, resolveTenant, type TenantOverrides } from './tenant-overrides.ts';

const DIGEST = 'a'.repeat(64);
const process = loadSettings({
  mode: 'production',
  environment: {
    CHANCERY_ISSUER: 'https://op.example.com',
    CHANCERY_ENCRYPTION_KEY: '0'.repeat(64),
    CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: DIGEST,
    CHANCERY_DIRECT_AUTHORIZATION_TOKEN_SHA256: DIGEST,
    CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true',
    CHANCERY_CORS_ORIGINS: 'https://app.example',
    CHANCERY_ACCESS_TOKEN_LIFETIME: '300',
    CHANCERY_LIMITS_BODY: '50000',
  },
});
const NAMES = { issuer: 'https://b.example/x', aliases: ['https://c.example'] };

const settingsWith = (overrides: TenantOverrides, names = NAMES) =>
  resolveTenant(process, names, overrides, 'production', 'tenant b').settings;

function problems(overrides: TenantOverrides, names = NAMES): readonly string[] {
  try {
    settingsWith(overrides, names);
  } catch (failure) {
    assert.ok(failure instanceof SettingsError);
    return failure.message.split('\n');
  }
  return assert.fail('no problem');
}

test('a tenant has its own issuer, and inherits no token, no open door and no origin of the process', () => {
  const settings = settingsWith({});
  assert.equal(settings.issuer, NAMES.issuer);
  assert.deepEqual(settings['issuer-aliases'], NAMES.aliases);
  assert.deepEqual(settings['registration.master-token-sha256'], []);
  assert.deepEqual(settings['direct-authorization.token-sha256'], []);
  assert.equal(settings['registration.allow-open-registration'], false);
  assert.deepEqual(settings['cors.origins'], []);
  assert.equal(settings['access-token.lifetime'], 300);
  assert.equal(settings['limits.body'], 50_000);
});

test('its own values go before those of the process, in the spelling that a row keeps', () => {
  const overrides = {
    'registration.master-token-sha256': [`ops:${DIGEST.toUpperCase()}`],
    'access-token.lifetime': 60,
  };
  const settings = settingsWith(overrides);
  assert.equal(settings['access-token.lifetime'], 60);
  assert.deepEqual(keptOverrides(settings, overrides), {
    'registration.master-token-sha256': [`ops:${DIGEST}`],
    'access-token.lifetime': 60,
  });
});

test('a duration in words is kept as seconds', () => {
  const overrides = { 'access-token.lifetime': '5m' };
  const settings = settingsWith(overrides);
  assert.equal(settings['access-token.lifetime'], 300);
  assert.deepEqual(keptOverrides(settings, overrides), { 'access-token.lifetime': 300 });
});

test('all problems at once, in the words of the configuration; a secret is not shown', () => {
  assert.deepEqual(
    problems({
      'registration.master-token-sha256': ['the token itself'],
      'access-token.lifetime': 0,
      'listen.port': 1,
      'acess-token.lifetime': 1,
      issuer: 'https://x.example',
    }).toSorted(),
    [
      'access-token.lifetime: must be an integer from 1 to 31536000, or a duration such as 10m or 1h30m, found 0 (tenant b)',
      'acess-token.lifetime: is not a setting; did you mean access-token.lifetime? (tenant b)',
      'issuer: is a setting of the process, which no tenant has for itself (tenant b)',
      'listen.port: is a setting of the process, which no tenant has for itself (tenant b)',
      `registration.master-token-sha256: ${settingAt('registration.master-token-sha256').rule} (tenant b)`,
    ],
  );
});

test('rules between settings hold for a tenant, with what it inherits', () => {
  assert.deepEqual(problems({ 'access-token.lifetime-max': 299 }), [
    'access-token.lifetime: must not be greater than access-token.lifetime-max (299) (tenant b)',
  ]);
});

for (const [names, words] of [
  [{ issuer: 'http://b.example', aliases: [] }, 'issuer: must use https (tenant b)'],
  [{ issuer: 'https://b.example/', aliases: [] }, /^issuer: must be an https URL/],
  [
    { issuer: 'https://b.example', aliases: ['https://b.example'] },
    /^issuer-aliases: must not hold a name twice/,
  ],
  [
    { issuer: 'https://b.example', aliases: ['https://B.example'] },
    /must be written as https:\/\/b\.example/,
  ],
] as const) {
  test(`${names.issuer} with ${JSON.stringify(names.aliases)} names no tenant`, () => {
    const [problem = ''] = problems({}, names as unknown as typeof NAMES);
    if (typeof words === 'string') assert.equal(problem, words);
    else assert.match(problem, words);
  });
}

test('a value in a command is read as an environment variable is', () => {
  assert.deepEqual(overrideFromText('cors.origins', 'https://a.example,https://b.example'), [
    'https://a.example',
    'https://b.example',
  ]);
  assert.equal(overrideFromText('access-token.lifetime', '60'), 60);
  assert.equal(overrideFromText('nothing', '60'), '60');
});

test('settings that grant access are never inherited', () => {
  const secret = SETTING_PATHS.filter(
    (path) => settingAt(path).secret && settingAt(path).tenants === 'inherited',
  );
  assert.deepEqual(secret, []);
});
