import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { freePort } from '../program/free-port.ts';
import { startProgram } from '../program/start.ts';
import { chancery, command, type Ended } from './command.ts';
import { launch } from './launcher.ts';
import { type Production, production } from './production.ts';
import { assertOneLine, attemptAt } from './start-attempts.ts';

let site: Production;

beforeEach(async () => {
  site = await production();
});

afterEach(() => site.remove());

const attempt = (
  mode: 'serve' | 'dev',
  changes: Readonly<Record<string, string>>,
  words?: readonly string[],
): Promise<Ended> => attemptAt(site, mode, changes, words);

for (const variable of ['CHANCERY_LISTEN_PORT', 'CHANCERY_MANAGEMENT_LISTEN_PORT'] as const) {
  test(`start, ${variable} taken: one line that names the port, exit code 1`, async () => {
    const port = site.environment[variable];
    const squatter = createServer().listen(Number(port), '127.0.0.1');
    await once(squatter, 'listening');
    try {
      for (const mode of ['serve', 'dev'] as const) {
        const issuer = mode === 'dev' ? { CHANCERY_ISSUER: '' } : {};
        assertOneLine(
          await attempt(mode, issuer),
          new RegExp(
            `^chancery ${mode}: (?:management\\.listen-port|listen\\.port): another program listens there: \\S+:${port} \\(EADDRINUSE\\); set ${variable} to another port\\n$`,
            'u',
          ),
        );
      }
    } finally {
      squatter.close();
    }
  });
}

test('start, wrong encryption key: one line that says so and shows no key, exit code 1 (F27)', async () => {
  const program = await startProgram({ folder: site.folder });
  await program.stop();
  const wrong = randomBytes(32).toString('hex');
  const ended = await attempt('serve', { CHANCERY_ENCRYPTION_KEY: wrong });
  assertOneLine(ended, /^chancery serve: encryption\.key does not open what the database holds/u);
  assert.doesNotMatch(ended.stderr, new RegExp(wrong, 'u'));
});

test('start in production, no encryption key: one line that names the setting and its variable (F27)', async () => {
  assertOneLine(
    await attempt('serve', { CHANCERY_ENCRYPTION_KEY: '' }),
    /^encryption\.key: must be set in production \(CHANCERY_ENCRYPTION_KEY\)\n$/u,
  );
});

// proves rfc7591-3-2, rfc7592-1-1, rfc7662-2-1, rfc9701-8.2-1, rfc6749-2.3.1-3, rfc7009-2-2
test('start in production, http issuer: one line, exit code 1', async () => {
  for (const issuer of ['http://op.example.com', 'http://127.0.0.1:8080']) {
    assertOneLine(await attempt('serve', { CHANCERY_ISSUER: issuer }), /^issuer: must .*https.*\n$/u);
  }
});

test('start in production with a token that the development mode printed: one line, and the token is not in it', async () => {
  const { CHANCERY_ISSUER: _, ...environment } = site.environment;
  const development = launch(['dev'], { environment, folder: site.folder });
  const screen = await development.untilPrinted(/jwks\.json\n/u);
  development.signal('SIGTERM');
  assert.equal(await development.exited, 0);
  const printed = {
    CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: /Master token \(registry\) +(\S+)/u.exec(screen)?.[1],
    CHANCERY_DIRECT_AUTHORIZATION_TOKEN_SHA256: /Direct authorisation token +(\S+)/u.exec(screen)?.[1],
  };
  for (const [variable, token] of Object.entries(printed)) {
    assert.ok(token !== undefined, `the token for ${variable} was printed`);
    const ended = await attempt('serve', { [variable]: hash('sha256', token, 'hex') });
    assertOneLine(ended, /token-sha256: must not hold .* development mode/u);
    assert.doesNotMatch(ended.stderr, new RegExp(`${token}|${hash('sha256', token, 'hex')}`, 'u'));
  }
});

test('start, bad YAML: one line with the file and the place, exit code 1', async () => {
  const file = join(site.folder, 'chancery.yaml');
  writeFileSync(file, 'listen:\n  port: [1,\n');
  assertOneLine(await attempt('serve', {}, ['--config', file]), new RegExp(file, 'u'));
  assertOneLine(await attempt('serve', { CHANCERY_CONFIG: `${file}.absent` }), /chancery\.yaml\.absent/u);
});

test('start, unknown environment variable: one line that names the nearest known one, exit code 1', async () => {
  assertOneLine(
    await attempt('serve', { CHANCERY_LISTEN_PROT: '1' }),
    /^CHANCERY_LISTEN_PROT: is not a setting.*CHANCERY_LISTEN_PORT/u,
  );
});

test('start, several things wrong: all of them at once, one line each', async () => {
  const { how, stdout, stderr } = await attempt('serve', {
    CHANCERY_ENCRYPTION_KEY: '',
    CHANCERY_ISSUER: 'http://op.example.com',
    CHANCERY_LISTEN_PROT: '1',
    CHANCERY_LIMITS_BODY: 'many',
    CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: 'a-token-instead-of-its-digest',
  });
  assert.equal(how, 1);
  assert.equal(stdout, '');
  assert.deepEqual(
    stderr
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(0, line.indexOf(': ')))
      .toSorted((one, other) => (one < other ? -1 : 1)),
    ['CHANCERY_LISTEN_PROT', 'encryption.key', 'issuer', 'limits.body', 'registration.master-token-sha256'],
  );
  assert.doesNotMatch(stderr, /a-token-instead/u, 'what may be a secret is not shown');
});

test('npm run chancery -- config check and config print: as an operator types them', async () => {
  const npm = async (...words: string[]): Promise<Ended> =>
    await command('npm', ['run', '--silent', 'chancery', '--', 'config', ...words], {
      HOME: site.folder,
      ...site.environment,
    });
  const checked = await npm('check');
  assert.deepEqual(checked, {
    how: 0,
    stdout: 'The settings are good for production: issuer https://op.example.com\n',
    stderr: '',
  });
  const { how, stdout } = await npm('print');
  assert.equal(how, 0);
  assert.match(stdout, /^listen\.port = \d+ \(CHANCERY_LISTEN_PORT\)$/mu);
  assert.match(stdout, /^encryption\.key = \*{6} \(CHANCERY_ENCRYPTION_KEY\)$/mu);
  assert.doesNotMatch(stdout, new RegExp(site.environment['CHANCERY_ENCRYPTION_KEY'] ?? '', 'u'));
  const refused = await chancery(['config', 'check'], { ...site.environment, CHANCERY_LIMITS_BODY: '1' });
  assertOneLine(refused, /^limits\.body: must be/u);
});

test('a failed start leaves the port and the database free for the next', async () => {
  const port = await freePort();
  const squatter = createServer().listen(port, '127.0.0.1');
  await once(squatter, 'listening');
  assert.equal((await attempt('serve', { CHANCERY_MANAGEMENT_LISTEN_PORT: String(port) })).how, 1);
  squatter.close();
  const program = await startProgram({ folder: site.folder });
  await program.stop();
  assert.equal(await program.exited, 0);
});

test('CHANCERY_CONFIG names the file for npm start as well, which is chancery dev', async () => {
  const { CHANCERY_ISSUER: _, ...environment } = site.environment;
  const config = join(site.folder, 'development.yaml');
  writeFileSync(config, 'federation:\n  contacts: ["desk@example.com", 7]\n');
  const refused = await attempt('dev', { CHANCERY_ISSUER: '', CHANCERY_CONFIG: config });
  assertOneLine(refused, /^federation\.contacts: .*development\.yaml/u);
  writeFileSync(config, 'key-set:\n  max-age: 77\n');
  const development = launch(['dev'], {
    environment: { ...environment, CHANCERY_CONFIG: config },
    folder: site.folder,
  });
  try {
    const issuer = `http://127.0.0.1:${environment['CHANCERY_LISTEN_PORT']}`;
    await development.untilPrinted(/jwks\.json\n/u);
    const { headers } = await fetch(`${issuer}/jwks.json`);
    assert.match(headers.get('cache-control') ?? '', /max-age=77/u);
  } finally {
    development.signal('SIGTERM');
    await development.exited;
  }
});
