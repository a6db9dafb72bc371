import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SETTING_PATHS } from '../config/settings.ts';
import { PROGRAM } from '../testing/program.ts';
import { ALL_NOUNS } from './dispatch.ts';

const COMMANDS = (await Promise.all(ALL_NOUNS.map(async ({ load }) => await load()))).flat();

const folder = mkdtempSync(join(tmpdir(), 'chancery-cli-'));
after(() => rmSync(folder, { recursive: true }));

const KEY = '0123456789abcdef'.repeat(4);
const PRODUCTION = { CHANCERY_ISSUER: 'https://op.example.com', CHANCERY_ENCRYPTION_KEY: KEY };

/** The program as a process of its own, without any CHANCERY_ variable of ours. */
function chancery(parameters: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('CHANCERY_'));
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...parameters], {
    encoding: 'utf8',
    timeout: 90_000,
    env: { ...Object.fromEntries(inherited), ...environment },
  });
  return { status, stdout, stderr };
}

function configuration(content: string): string {
  const file = join(folder, 'chancery.yaml');
  writeFileSync(file, content);
  return file;
}

for (const words of [[], ['help'], ['--help'], ['-h']]) {
  test(`chancery ${words.join(' ')}: lists every command, exit code 0`, () => {
    const { status, stdout, stderr } = chancery(words);
    assert.deepEqual([status, stderr], [0, '']);
    for (const command of COMMANDS) assert.ok(stdout.includes(`chancery ${command.words.join(' ')}`), stdout);
  });
}

for (const words of [['version'], ['--version']]) {
  test(`chancery ${words.join(' ')}: prints the version that package.json says`, () => {
    const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
    const { version } = JSON.parse(text) as { version: string };
    const { status, stdout } = chancery(words);
    assert.deepEqual([status, stdout], [0, `chancery ${version} (Node ${process.versions.node})\n`]);
  });
}

/** Is loaded before the program, and prints the niceness with which it ends. */
const NICENESS =
  "data:text/javascript,import{getPriority}from'node:os';process.on('exit',()=>console.error('niceness',getPriority()))";

// `serve` and `health` fail here: each lacks a setting.
for (const [words, niceness] of [
  [['version'], 15],
  [['keys', 'list'], 15],
  [['serve'], 0],
  [['health'], 0],
] as const) {
  test(`chancery ${words.join(' ')}: runs with the niceness ${niceness} (ADR 97)`, () => {
    const { stderr } = chancery(words, { NODE_OPTIONS: `--import=${NICENESS}` });
    assert.match(stderr, new RegExp(`^niceness ${Math.max(getPriority(), niceness)}$`, 'mu'));
  });
}

const OTHER_RUNTIMES: readonly (readonly [versions: Readonly<Record<string, string>>, name: string])[] = [
  [{ node: '26.3.0', bun: '1.4.5' }, 'Bun 1.4.5'],
  [{ node: '26.0.0', deno: '2.8.0' }, 'Deno 2.8.0'],
  [{ node: '24.14.0' }, 'Node 24.14.0'],
];
for (const [versions, name] of OTHER_RUNTIMES) {
  test(`chancery serve on ${name}: does not start, one line says why, exit code 1`, () => {
    const pretend = `Object.defineProperty(process, 'versions', { value: ${JSON.stringify(versions)} })`;
    const { status, stdout, stderr } = chancery(['serve'], {
      ...PRODUCTION,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(pretend)}`,
    });
    const line = `chancery runs on Node 26 or later; this is ${name} (install Node 26, `;
    assert.deepEqual([status, stdout, stderr.split('\n').length, stderr.startsWith(line)], [1, '', 2, true]);
  });
}

const NOUNS = ALL_NOUNS.map(({ name }) => name).join(', ');

const MISTYPED: readonly (readonly [words: readonly string[], line: string])[] = [
  [['sreve'], `chancery: unknown command "sreve"; did you mean serve? (commands: ${NOUNS})`],
  [
    ['config', 'chekc', '--config', 'x'],
    'chancery: unknown command "config chekc"; did you mean config check? (commands of config: config check, config print)',
  ],
  [['config'], 'chancery: config needs a command: check, print (chancery config --help explains them)'],
  [['deploy'], `chancery: unknown command "deploy"; commands: ${NOUNS}`],
  [['--verbose'], `chancery: unknown option "--verbose"; commands: ${NOUNS}`],
  [
    ['config', 'check', '--colour'],
    'chancery config check: unknown option --colour; options of this command: --json, --config, --mode, --help',
  ],
  [
    ['config', 'check', '--moed', 'x'],
    'chancery config check: unknown option --moed; did you mean --mode? (options of this command: --json, --config, --mode, --help)',
  ],
  [
    ['config', 'check', '-x'],
    'chancery config check: unknown option -x; options of this command: --json, --config, --mode, --help',
  ],
  [['config', 'check', '--config'], 'chancery config check: --config needs a value: --config FILE'],
  [
    ['config', 'check', '--config', '--mode'],
    'chancery config check: --config needs a value; write --config=--mode if --mode is the value',
  ],
  [['migrate', 'status', '--json=1'], 'chancery migrate status: --json takes no value, found "1"'],
  [['config', 'check', 'twice'], 'chancery config check: unexpected argument "twice"'],
  [
    ['config', 'check', '--mode', 'test'],
    'chancery config check: --mode must be development or production, found "test"',
  ],
  [['clients', 'create', '--scope', 'a'], 'chancery clients create: FILE is missing'],
  [
    ['clients', 'create', 'client.json', '--scope', 'a'],
    'chancery clients create: FILE takes the whole registration: give the members there, or --name and no FILE',
  ],
  [['backup', 'download', 'x'], 'chancery backup download: --out is missing'],
  [['sessions', 'list'], 'chancery sessions list: NAME is missing'],
  [['sessions', 'list', '--sub', 'x', 'ada'], 'chancery sessions list: unexpected argument "ada"'],
  [
    ['clients', 'prune', '--idle', '1 year'],
    'chancery clients prune: --idle must be a duration such as 90s, 10m or 30d, or seconds, found "1 year"',
  ],
];

for (const [words, line] of MISTYPED) {
  test(`chancery ${words.join(' ')}: one line on standard error, exit code 2`, () => {
    const { status, stdout, stderr } = chancery(words);
    assert.deepEqual([status, stdout, stderr], [2, '', `${line}\n`]);
  });
}

test('COMMAND --help: says how the command is called and does not run it', () => {
  const { status, stdout } = chancery(['config', 'check', '--help']);
  assert.equal(status, 0);
  assert.match(
    stdout,
    /^chancery config check \[--json\] \[--config FILE\] \[--mode development\|production\]\n/u,
  );
});

test('config check, good settings: exit code 0', () => {
  const { status, stdout, stderr } = chancery(['config', 'check'], PRODUCTION);
  assert.deepEqual([status, stderr], [0, '']);
  assert.equal(stdout, 'The settings are good for production: issuer https://op.example.com\n');
});

test('config check: every problem on a line of its own with path, rule and source, exit code 1', () => {
  const file = configuration('listen: { port: 99999 }\nisuer: x\n');
  const { status, stdout, stderr } = chancery(['config', 'check', '--config', file], {
    CHANCERY_LOG_LEVEL: 'loud',
  });
  assert.deepEqual([status, stdout], [1, '']);
  assert.deepEqual(stderr.trimEnd().split('\n').sort(), [
    'encryption.key: must be set in production (CHANCERY_ENCRYPTION_KEY)',
    `issuer: must be set in production (CHANCERY_ISSUER)`,
    `isuer: is not a setting (line 2); did you mean issuer? (${file})`,
    `listen.port: must be an integer from 0 to 65535, found 99999 (${file})`,
    'log.level: must be one of silent, error, warn, info, debug, found "loud" (CHANCERY_LOG_LEVEL)',
  ]);
});

test('config check --mode development: needs no issuer and no key', () => {
  const { status, stdout } = chancery(['config', 'check', '--mode', 'development']);
  assert.equal(stdout, 'The settings are good for development: issuer http://127.0.0.1:8080\n');
  assert.equal(status, 0);
});

test('the file is the one that CHANCERY_CONFIG names, unless --config names another', () => {
  const file = configuration('issuer: https://file.example\n');
  const named = chancery(['config', 'check'], { CHANCERY_ENCRYPTION_KEY: KEY, CHANCERY_CONFIG: file });
  assert.match(named.stdout, /https:\/\/file\.example/u);
  const other = chancery(['config', 'check', '--config', join(folder, 'none')], {
    ...PRODUCTION,
    CHANCERY_CONFIG: file,
  });
  assert.equal(other.stderr, `configuration file: cannot be read: ENOENT (${join(folder, 'none')})\n`);
  assert.equal(other.status, 1);
});

test('config print: every setting with its value and where it came from; secrets are masked', () => {
  const file = configuration('listen: { port: 8443 }\n');
  const digest = 'ab'.repeat(32);
  const environment = { ...PRODUCTION, CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: digest };
  const { status, stdout, stderr } = chancery(['config', 'print', '--config', file], environment);
  assert.deepEqual([status, stderr], [0, '']);
  const lines = stdout.trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => line.slice(0, line.indexOf(' = '))),
    SETTING_PATHS,
  );
  for (const line of [
    'issuer = "https://op.example.com" (CHANCERY_ISSUER)',
    `listen.port = 8443 (${file})`,
    'access-token.lifetime = 600 (default)',
    'encryption.key = ****** (CHANCERY_ENCRYPTION_KEY)',
    'registration.master-token-sha256 = ****** (CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256)',
    'direct-authorization.token-sha256 = [] (default)',
  ]) {
    assert.ok(lines.includes(line), `${line}\nnot in\n${stdout}`);
  }
  assert.ok(!stdout.includes(KEY) && !stdout.includes(digest));
});

test('config print: the values of a profile have it as their source, and config check warns of a registration without scope', () => {
  const environment = { ...PRODUCTION, CHANCERY_PROFILE: 'mcp' };
  const { stdout } = chancery(['config', 'print'], environment);
  assert.match(stdout, /^authorization\.pkce = "all-clients" \(profile mcp\)$/mu);
  assert.match(stdout, /^profile = "mcp" \(CHANCERY_PROFILE\)$/mu);
  const checked = chancery(['config', 'check'], environment);
  assert.equal(checked.status, 0);
  assert.match(checked.stderr, /^warning: registration\.open-scope-values is empty/mu);
  const named = { ...environment, CHANCERY_REGISTRATION_OPEN_SCOPE_VALUES: 'mcp:read' };
  assert.equal(chancery(['config', 'check'], named).stderr, '');
});

// H-380
test('H-380 a server does not start with a setting that breaks a rule of its profile; the line names both', () => {
  const environment = {
    ...PRODUCTION,
    CHANCERY_PROFILE: 'oauth-2.1',
    CHANCERY_AUTHORIZATION_GRANT_TYPES: 'authorization_code,implicit',
  };
  const { status, stdout, stderr } = chancery(['serve'], environment);
  assert.equal(status, 1);
  assert.equal(stdout, '');
  assert.equal(
    stderr,
    'authorization.grant-types: must not contain implicit and password with profile oauth-2.1 (CHANCERY_PROFILE), found ["authorization_code","implicit"] (CHANCERY_AUTHORIZATION_GRANT_TYPES)\n',
  );
});

test('config print: short options stand for long ones, also together; --json has every path with its value and source', () => {
  const { status, stdout, stderr } = chancery(['config', 'print', '-jm', 'development'], {
    CHANCERY_ENCRYPTION_KEY: KEY,
  });
  assert.deepEqual([status, stderr], [0, '']);
  const printed = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual(Object.keys(printed), SETTING_PATHS);
  assert.deepEqual(printed['listen.port'], { value: 8080, source: 'default' });
  assert.deepEqual(printed['encryption.key'], { value: '******', source: 'CHANCERY_ENCRYPTION_KEY' });
});

test('config check --json: the problems as JSON, exit code 1; without problems the issuer, exit code 0', () => {
  const wrong = chancery(['config', 'check', '--json'], { ...PRODUCTION, CHANCERY_LISTEN_PORT: 'x' });
  assert.deepEqual([wrong.status, wrong.stderr], [1, '']);
  assert.deepEqual(JSON.parse(wrong.stdout), {
    mode: 'production',
    problems: [
      {
        path: 'listen.port',
        source: 'CHANCERY_LISTEN_PORT',
        rule: 'must be an integer from 0 to 65535',
        found: '"x"',
      },
    ],
    warnings: [],
  });
  const good = chancery(['config', 'check', '--json'], PRODUCTION);
  const issuer = PRODUCTION.CHANCERY_ISSUER;
  assert.deepEqual(JSON.parse(good.stdout), { mode: 'production', issuer, problems: [], warnings: [] });
  assert.equal(good.status, 0);
});

test('without --mode, a command takes the development mode in the folder of chancery dev, and says so', () => {
  const data = join(folder, 'here');
  mkdirSync(data);
  const environment = { CHANCERY_STORAGE_URL: `sqlite:${join(data, 'chancery.db')}` };
  const before = chancery(['config', 'check'], environment);
  assert.match(before.stderr, /must be set in production/u);
  writeFileSync(join(data, 'development-tokens.json'), '{}');
  const { status, stdout, stderr } = chancery(['config', 'check'], environment);
  assert.deepEqual(
    [status, stderr],
    [0, `the data of the development server in ${data} (--mode development)\n`],
  );
  assert.match(stdout, /^The settings are good for development/u);
  const issuer = { ...environment, CHANCERY_ISSUER: 'https://op.example.com' };
  assert.match(chancery(['config', 'check'], issuer).stderr, /^encryption\.key: must be set in production/u);
});

test('config print --mode development: an encryption key that is not set is said to be so', () => {
  const { stdout } = chancery(['config', 'print', '--mode', 'development']);
  assert.match(stdout, /^encryption\.key = not set \(default\)$/mu);
});
