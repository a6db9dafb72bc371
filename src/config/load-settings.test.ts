import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { DISK_FOLDER } from '../testing/disk-folder.ts';
import { loadSettings, resolveSettings, type SettingsSources } from './load-settings.ts';
import { DEVELOPMENT_DIGEST_PREFIX } from './rules.ts';
import { SETTING_PATHS } from './settings.ts';
import { problemLine, SettingsError, type SettingsProblem } from './settings-error.ts';

const folder = mkdtempSync(join(DISK_FOLDER, 'chancery-settings-'));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
function fileOf(content: string): string {
  const file = join(folder, `${++files}.yaml`);
  writeFileSync(file, content, { mode: 0o600 });
  return file;
}

const KEY = '0123456789abcdef'.repeat(4);
const OTHER_KEY = '123456789abcdef0'.repeat(4);
const DIGEST = 'AB'.repeat(32);
const PRODUCTION = { CHANCERY_ISSUER: 'https://op.example.com', CHANCERY_ENCRYPTION_KEY: KEY };

function development(environment: SettingsSources['environment'], file?: string): SettingsSources {
  return { mode: 'development', environment, ...(file === undefined ? {} : { file }) };
}

function production(environment: SettingsSources['environment'], file?: string): SettingsSources {
  return { ...development({ ...PRODUCTION, ...environment }, file), mode: 'production' };
}

function problemsOf(sources: SettingsSources): readonly SettingsProblem[] {
  try {
    loadSettings(sources);
  } catch (failure) {
    assert.ok(failure instanceof SettingsError, String(failure));
    return failure.problems;
  }
  return [];
}

const linesOf = (sources: SettingsSources) => problemsOf(sources).map(problemLine);

test('development needs nothing: the issuer follows the port, and the encryption key is left to be made', () => {
  const settings = loadSettings(development({}));
  assert.deepEqual(Object.keys(settings), SETTING_PATHS);
  assert.equal(settings.issuer, 'http://127.0.0.1:8080');
  assert.equal(settings['encryption.key'], undefined);
  assert.equal(settings['registration.allow-open-registration'], false);
  assert.equal(loadSettings(development({ CHANCERY_LISTEN_PORT: '8888' })).issuer, 'http://127.0.0.1:8888');
  assert.equal(loadSettings(development({ CHANCERY_LISTEN_PORT: '80' })).issuer, 'http://127.0.0.1');
});

test('a duration is a number, or a text with units, in a file and in the environment', () => {
  const file = fileOf(
    'access-token: { lifetime: 1h30m }\nstop: { deadline: 20 }\nstorage: { deadline: 2s }\n',
  );
  const settings = loadSettings(development({ CHANCERY_STORAGE_SWEEP_INTERVAL: '2m' }, file));
  assert.equal(settings['access-token.lifetime'], 5400);
  assert.equal(settings['stop.deadline'], 20);
  assert.equal(settings['storage.deadline'], 2000);
  assert.equal(settings['storage.sweep-interval'], 120);
});

test('a duration that has another unit, a fraction of a second, or too many seconds is refused with the rule', () => {
  const rule = 'must be an integer from 1 to 600, or a duration such as 10m or 1h30m';
  for (const given of ['10y', '500ms', '11m', '0s', 'soon'])
    assert.deepEqual(linesOf(development({ CHANCERY_STOP_DEADLINE: given })), [
      `stop.deadline: ${rule}, found "${given}" (CHANCERY_STOP_DEADLINE)`,
    ]);
});

test('production needs an issuer and an encryption key, and both are named at once', () => {
  assert.deepEqual(linesOf({ mode: 'production', environment: {} }), [
    'issuer: must be set in production (CHANCERY_ISSUER)',
    'encryption.key: must be set in production (CHANCERY_ENCRYPTION_KEY)',
  ]);
  assert.deepEqual(loadSettings(production({}))['encryption.key'], [KEY]);
});

test('the environment goes before the file, the file before the defaults, and each value knows where it came from', () => {
  const file = fileOf('listen: { port: 1111, host: "::1" }\nlog: { level: debug }\n');
  const { settings, origins } = resolveSettings(development({ CHANCERY_LISTEN_PORT: '2222' }, file));
  assert.equal(settings['listen.port'], 2222);
  assert.equal(settings['listen.host'], '::1');
  assert.equal(settings['log.level'], 'debug');
  assert.equal(settings['listen.keep-alive-timeout'], 75);
  assert.equal(origins['listen.port'], 'CHANCERY_LISTEN_PORT');
  assert.equal(origins['listen.host'], file);
  assert.equal(origins['listen.keep-alive-timeout'], 'default');
});

test('falsy values of a later source override an earlier one', () => {
  const file = fileOf('registration: { allow-open-registration: true, open-scope-values: [openid] }');
  const settings = loadSettings(
    development(
      {
        CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'false',
        CHANCERY_REGISTRATION_OPEN_SCOPE_VALUES: '',
        CHANCERY_KEY_SET_MAX_AGE: '0',
      },
      file,
    ),
  );
  assert.equal(settings['registration.allow-open-registration'], false);
  assert.deepEqual(settings['registration.open-scope-values'], []);
  assert.equal(settings['key-set.max-age'], 0);
});

test('lists in the environment are separated by commas; digests are kept in lower case', () => {
  const settings = loadSettings(
    production({
      CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: `${DIGEST}, ${KEY}`,
      CHANCERY_CORS_ORIGINS: 'https://a.example,http://localhost:3000',
    }),
  );
  assert.deepEqual(settings['registration.master-token-sha256'], [DIGEST.toLowerCase(), KEY]);
  assert.deepEqual(settings['cors.origins'], ['https://a.example', 'http://localhost:3000']);
});

test('a secret in YAML comes from the file that it names, relative to the YAML file, and the mode of that file is checked', () => {
  const key = fileOf(`${KEY}\n`);
  const yaml = fileOf(`encryption: { key: { file: ${basename(key)} } }\n`);
  const sources = production({ CHANCERY_ENCRYPTION_KEY: undefined }, yaml);
  chmodSync(yaml, 0o644);
  const { settings, origins } = resolveSettings(sources);
  assert.deepEqual(settings['encryption.key'], [KEY]);
  assert.equal(origins['encryption.key'], key);
  chmodSync(key, 0o644);
  assert.match(
    linesOf(sources).join(),
    /^encryption\.key: names a file that every user of the machine can read/u,
  );
  rmSync(key);
  assert.deepEqual(linesOf(sources), [`encryption.key: names a file that cannot be read: ENOENT (${yaml})`]);
});

test('only a secret may name a file', () => {
  const yaml = fileOf('issuer: { file: x }\n');
  assert.match(
    linesOf(production({ CHANCERY_ISSUER: undefined }, yaml)).join(),
    /^issuer: must be an https URL/u,
  );
});

test('a secret comes from the file that …_FILE names, without the white space around it', () => {
  const file = fileOf(`\n${KEY}\n${OTHER_KEY}\n\n`);
  const sources = production({ CHANCERY_ENCRYPTION_KEY: undefined, CHANCERY_ENCRYPTION_KEY_FILE: file });
  const { settings, origins } = resolveSettings(sources);
  assert.deepEqual(settings['encryption.key'], [KEY, OTHER_KEY]);
  assert.equal(origins['encryption.key'], 'CHANCERY_ENCRYPTION_KEY_FILE');
});

const MODES: readonly (readonly [mode: number, worldReadable: string, problem: RegExp | undefined])[] = [
  [0o600, 'false', undefined],
  [0o440, 'false', undefined],
  [0o640, 'false', undefined],
  [
    0o644,
    'false',
    /^encryption\.key: names a file that every user of the machine can read \(mode 0644\): chmod 600 /,
  ],
  [
    0o444,
    'false',
    /can read \(mode 0444\): chmod 600 .*, or set secret-files\.world-readable \(CHANCERY_ENCRYPTION_KEY_FILE\)$/,
  ],
  [0o644, 'true', undefined],
  [0o666, 'false', /names a file that other users can change \(mode 0666\): chmod 600 /],
  [0o660, 'true', /names a file that other users can change \(mode 0660\)/],
];

for (const [mode, worldReadable, problem] of MODES) {
  test(`C-45: a secret file of mode ${mode.toString(8)} is ${problem === undefined ? 'taken' : 'refused in production'}, world-readable ${worldReadable}`, () => {
    const file = fileOf(KEY);
    chmodSync(file, mode);
    const environment = {
      CHANCERY_ENCRYPTION_KEY: undefined,
      CHANCERY_ENCRYPTION_KEY_FILE: file,
      CHANCERY_SECRET_FILES_WORLD_READABLE: worldReadable,
    };
    if (problem === undefined)
      assert.deepEqual(resolveSettings(production(environment)).settings['encryption.key'], [KEY]);
    else {
      const [line = '', ...more] = linesOf(production(environment));
      assert.match(line, problem);
      assert.ok(line.includes(file) && more.length === 0);
    }
    assert.deepEqual(resolveSettings(development(environment)).settings['encryption.key'], [KEY]);
  });
}

for (const [what, yaml, secrets] of [
  ['an encryption key', `encryption: { key: ${KEY} }`, ['encryption.key']],
  [
    'passwords of databases',
    'storage: { url: "postgres://c:word@db/c", replica-url: "postgres://c:word@standby/c" }',
    ['storage.url', 'storage.replica-url'],
  ],
  ['a database without a password', 'storage: { url: "postgres://c@db/c" }', []],
  ['a digest of a token', `registration: { master-token-sha256: ["${KEY}"] }`, []],
] as const) {
  test(`C-47: a YAML file that all can read and that has ${what} is ${secrets.length === 0 ? 'taken' : 'refused in production'}`, () => {
    const file = fileOf(`${yaml}\n`);
    const environment = secrets.some((path) => path === 'encryption.key')
      ? { CHANCERY_ENCRYPTION_KEY: undefined }
      : {};
    chmodSync(file, 0o644);
    assert.deepEqual(
      linesOf(production(environment, file)),
      secrets.map(
        (path) =>
          `${path}: is in a file that every user of the machine can read (mode 0644): chmod 600 ${file}, or set secret-files.world-readable (${file})`,
      ),
    );
    chmodSync(file, 0o600);
    assert.doesNotThrow(() => resolveSettings(production(environment, file)));
  });
}

test('a secret given directly and as a file, and a file that cannot be read, are problems (F27)', () => {
  assert.deepEqual(linesOf(production({ CHANCERY_ENCRYPTION_KEY_FILE: fileOf(KEY) })), [
    'encryption.key: must not be given together with CHANCERY_ENCRYPTION_KEY_FILE (CHANCERY_ENCRYPTION_KEY)',
  ]);
  const unreadable = {
    CHANCERY_ENCRYPTION_KEY: undefined,
    CHANCERY_ENCRYPTION_KEY_FILE: join(folder, 'none'),
  };
  assert.deepEqual(linesOf(production(unreadable)), [
    'encryption.key: names a file that cannot be read: ENOENT (CHANCERY_ENCRYPTION_KEY_FILE)',
  ]);
});

test('only secrets come from files', () => {
  assert.deepEqual(linesOf(development({ CHANCERY_ISSUER_FILE: join(folder, 'none') })), [
    'CHANCERY_ISSUER_FILE: is not a setting; did you mean CHANCERY_ISSUER? (environment)',
  ]);
});

test('a file that cannot be read is a problem, not an absent file', () => {
  const file = join(folder, 'missing.yaml');
  assert.deepEqual(linesOf(development({}, file)), [`configuration file: cannot be read: ENOENT (${file})`]);
  assert.deepEqual(linesOf(development({}, folder)), [
    `configuration file: cannot be read: EISDIR (${folder})`,
  ]);
});

test('all problems of all sources are reported together', () => {
  const file = fileOf('listen: { port: high, prot: 1 }\nissuer: https://op.example.com/\nissuer: x\n');
  const environment = {
    CHANCERY_LOG_LEVEL: 'loud',
    CHANCERY_LISTEN_HOTS: 'x',
    CHANCERY_CONFIG: file,
    OTHER_VARIABLE: 'x',
    CHANCERY_ACCESS_TOKEN_LIFETIME: '86401',
  };
  assert.deepEqual(linesOf(production({ ...environment, CHANCERY_ISSUER: undefined }, file)).sort(), [
    'CHANCERY_LISTEN_HOTS: is not a setting; did you mean CHANCERY_LISTEN_HOST? (environment)',
    'access-token.lifetime: must not be greater than access-token.lifetime-max (86400) (CHANCERY_ACCESS_TOKEN_LIFETIME)',
    `issuer: is given twice, again at line 3 (${file})`,
    `issuer: must be an https URL without query, fragment, user information and trailing slash, found "https://op.example.com/" (${file})`,
    `listen.port: must be an integer from 0 to 65535, found "high" (${file})`,
    `listen.prot: is not a setting (line 1); did you mean listen.port? (${file})`,
    'log.level: must be one of silent, error, warn, info, debug, found "loud" (CHANCERY_LOG_LEVEL)',
  ]);
});

test('a bad value in the file is reported even where the environment overrides it', () => {
  const file = fileOf('listen: { port: -1 }');
  assert.deepEqual(linesOf(development({ CHANCERY_LISTEN_PORT: '1' }, file)), [
    `listen.port: must be an integer from 0 to 65535, found -1 (${file})`,
  ]);
});

for (const value of ['', ' 1', '1.5', '1e3', '0x10', '65536', '-1', 'NaN', '9'.repeat(30)]) {
  test(`${JSON.stringify(value)} is no port`, () => {
    const [problem, ...more] = problemsOf(development({ CHANCERY_LISTEN_PORT: value }));
    assert.deepEqual(more, []);
    assert.equal(problem?.path, 'listen.port');
    assert.equal(problem.rule, 'must be an integer from 0 to 65535');
  });
}

for (const value of ['', 'TRUE', 'yes', '1', 'truefalse']) {
  test(`${JSON.stringify(value)} is neither true nor false`, () => {
    const lines = linesOf(development({ CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: value }));
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /^registration\.allow-open-registration: must be true or false, found /);
  });
}

const BAD_URLS = [
  'sqlite:',
  'sqlite::memory:',
  'postgres://db/x',
  'postgres://user:word@db',
  'mysql://user:word@db/x',
  'postgres://user:word@db/x y',
  'data/chancery.db',
  'sqlite:x?mode=ro',
  '',
];
for (const value of BAD_URLS) {
  test(`${JSON.stringify(value)} is no storage.url`, () => {
    assert.equal(problemsOf(development({ CHANCERY_STORAGE_URL: value }))[0]?.path, 'storage.url');
  });
}

const BAD_ORIGINS = [
  '*',
  'null',
  'https://a.example/',
  'https://A.example',
  'https://a.example:443',
  'a.example',
];
for (const value of BAD_ORIGINS) {
  test(`${JSON.stringify(value)} is no origin, and the refused one of several is shown (RFC 6454 §6.2)`, () => {
    const [problem] = problemsOf(development({ CHANCERY_CORS_ORIGINS: `https://b.example,${value}` }));
    assert.equal(problem?.path, 'cors.origins');
    assert.equal(problem.found, JSON.stringify(value));
  });
}

test('the value of a secret is never in a problem, wherever it stands', () => {
  const secret = 'hunter2';
  const yaml = fileOf(`encryption: { key: ${secret} }\nregistration: { master-token-sha256: [${secret}] }\n`);
  const environment = {
    CHANCERY_ENCRYPTION_KEY: secret,
    CHANCERY_DIRECT_AUTHORIZATION_TOKEN_SHA256: secret,
    CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256_FILE: fileOf(secret),
    CHANCERY_ENCRYPTION_KEYS: secret,
  };
  const problems = problemsOf(production(environment, yaml));
  assert.equal(problems.length, 6);
  assert.ok(!JSON.stringify(problems).includes(secret), JSON.stringify(problems));
});

test('production refuses the digest of a token that the development mode printed', () => {
  const digest = DEVELOPMENT_DIGEST_PREFIX.toUpperCase().padEnd(64, '0');
  const environment = {
    CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: `${KEY},${digest}`,
    CHANCERY_DIRECT_AUTHORIZATION_TOKEN_SHA256: digest,
  };
  const rule = 'must not hold the digest of a token that was printed by the development mode';
  assert.deepEqual(linesOf(production(environment)), [
    `registration.master-token-sha256: ${rule} (CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256)`,
    `direct-authorization.token-sha256: ${rule} (CHANCERY_DIRECT_AUTHORIZATION_TOKEN_SHA256)`,
  ]);
  assert.deepEqual(linesOf(development(environment)), []);
});

test('an issuer with http is for loopback hosts in development', () => {
  const loopback = { CHANCERY_ISSUER: 'http://localhost:8080/c2' };
  assert.equal(loadSettings(development(loopback)).issuer, 'http://localhost:8080/c2');
  assert.equal(problemsOf(production(loopback))[0]?.path, 'issuer');
  assert.deepEqual(linesOf(development({ CHANCERY_ISSUER: 'http://op.example.com' })), [
    'issuer: must use https (CHANCERY_ISSUER)',
  ]);
});

test('rules between settings: time-outs, lifetimes, the two ports, and the issuer of a free port', () => {
  const broken = {
    CHANCERY_LISTEN_HEADERS_TIMEOUT: '11',
    CHANCERY_INITIAL_ACCESS_TOKEN_LIFETIME_MAX: '3599',
    CHANCERY_LISTEN_PORT: '9090',
  };
  assert.deepEqual(
    problemsOf(development(broken)).map(({ path, rule }) => `${path}: ${rule}`),
    [
      'listen.headers-timeout: must not be greater than listen.request-timeout (10)',
      'initial-access-token.lifetime: must not be greater than initial-access-token.lifetime-max (3599)',
      'management.listen-port: must differ from listen.port',
    ],
  );
  assert.deepEqual(linesOf(development({ CHANCERY_LISTEN_PORT: '9090', CHANCERY_LISTEN_HOST: '::1' })), []);
  const free = { CHANCERY_LISTEN_PORT: '0', CHANCERY_MANAGEMENT_LISTEN_PORT: '0' };
  assert.deepEqual(
    problemsOf(development(free)).map(({ path, rule }) => `${path}: ${rule}`),
    ['issuer: must be set when listen.port is 0'],
  );
  assert.deepEqual(linesOf(production(free)), []);
});

test('a rule is not asked about a refused value, nor about the default that stands in for it', () => {
  const environment = { CHANCERY_LISTEN_REQUEST_TIMEOUT: 'long', CHANCERY_LISTEN_HEADERS_TIMEOUT: '20' };
  assert.deepEqual(
    problemsOf(development(environment)).map(({ path }) => path),
    ['listen.request-timeout'],
  );
});

test('settings cannot be changed', () => {
  const settings = loadSettings(development({}));
  assert.throws(() => Object.assign(settings, { 'log.level': 'debug' }), TypeError);
});
