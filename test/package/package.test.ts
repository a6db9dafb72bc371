import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALL_NOUNS } from '../../src/cli/dispatch.ts';
import { buildPackage } from '../../tools/build/package.ts';
import { REPOSITORY } from '../journeys/launcher.ts';
import { endedWithTests } from '../program/children.ts';
import { freePort } from '../program/free-port.ts';

const RUNTIME = globSync('node_modules/{node-linux-*,node-bin-*}', { cwd: REPOSITORY })[0] ?? '';
/** The bar of the product: the package without its runtime. */
const PACKAGE_BYTES_MAX = 60_000_000;
/** A user without rights, where the tests run as root, who may write everywhere. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const place = mkdtempSync(join(tmpdir(), 'chancery-package-'));
const site = join(place, 'site');
const installed = join(site, 'node_modules/chancery');
const home = join(place, 'home');

before(async () => {
  chmodSync(place, 0o755);
  await buildPackage(join(place, 'package'));
  const [tarball] = npm(place, 'pack', './package', '--silent').trim().split('\n');
  mkdirSync(site);
  mkdirSync(home);
  npm(site, 'install', '--no-save', '--omit=optional', join(place, tarball ?? ''));
  // The installation above has no network. This stands for the runtime's package, which npm would have fetched.
  symlinkSync(join(REPOSITORY, RUNTIME), join(site, 'node_modules', RUNTIME.slice('node_modules/'.length)));
});

after(() => {
  for (const folder of foldersIn(place)) chmodSync(folder, 0o755);
  rmSync(place, { recursive: true });
});

const environment = { PATH: process.env['PATH'], HOME: home };

/** Runs npm without a registry. */
function npm(folder: string, ...words: readonly string[]): string {
  const all = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...words];
  const env = { ...environment, npm_config_cache: join(place, 'npm-cache') };
  const { status, stdout, stderr } = spawnSync('npm', all, { cwd: folder, env, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

function chancery(words: readonly string[], more: Parameters<typeof spawnSync>[2] = {}) {
  const program = join(site, 'node_modules/.bin/chancery');
  return spawnSync(program, words, { env: environment, cwd: home, ...more, encoding: 'utf8' });
}

const foldersIn = (folder: string): readonly string[] => [
  folder,
  ...readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name)),
];

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

test('a second build of the same checkout gives the same octets', async () => {
  const again = join(place, 'elsewhere/again');
  await buildPackage(again);
  const first = join(place, 'package');
  assert.deepEqual(filesIn(again), filesIn(first));
  for (const file of filesIn(first))
    assert.ok(readFileSync(join(again, file)).equals(readFileSync(join(first, file))), file);
});

test('the package has no install script and no dependency but the runtime, and stays below 60 MB', () => {
  const about = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>;
  assert.deepEqual(
    [about['private'], about['scripts'], about['dependencies']],
    [undefined, undefined, undefined],
  );
  for (const name of Object.keys(about['optionalDependencies'] as object))
    assert.match(name, /^node-(?:bin|linux)-/u);
  const files = filesIn(installed);
  const bytes = files.reduce((sum, file) => sum + lstatSync(join(installed, file)).size, 0);
  assert.ok(bytes < PACKAGE_BYTES_MAX, `${bytes} octets`);
  assert.ok(
    !files.some((file) => /(?<!\.d)\.ts$|\.node$|(?:^|\/)(?:src|test|node_modules)\//u.test(file)),
    files.join('\n'),
  );
});

test('the package carries the licence of each package that is bundled', () => {
  const licences = readFileSync(join(installed, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  const parts = licences.split(/^={80}\n/mu).slice(1);
  const names = new Set(parts.map((part) => /^(\S+) \d\S* \((?:MIT|ISC|Apache-2\.0)\)\n/u.exec(part)?.[1]));
  for (const name of [
    '@cfworker/json-schema',
    'jose',
    'liquidjs',
    'pg',
    'pino',
    'prom-client',
    're2js',
    'xml-crypto',
    'yaml',
    'zod',
  ])
    assert.ok(names.has(name), name);
  for (const part of parts) assert.match(part, /permission|redistribution|Apache License/iu);
});

test('each command of the installed package explains itself', async () => {
  const commands = (await Promise.all(ALL_NOUNS.map(async ({ load }) => await load()))).flat();
  const program = join(installed, 'program/chancery.js');
  // One process for all: a process of its own for each of the 60 commands would take long.
  const calls = JSON.stringify(commands.map(({ words }) => [...words, '--help']));
  const script = `for (const words of ${calls}) {
    process.argv = [process.execPath, ${JSON.stringify(program)}, ...words];
    await (await import(${JSON.stringify(join(installed, 'program/main.js'))})).main();
    if (process.exitCode !== 0) throw new Error(words.join(' '));
  }`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    env: environment,
  });
  assert.equal(status, 0, stderr);
  for (const { summary } of commands) assert.ok(stdout.includes(summary), summary);
});

test('the source map leads from a line of the bundle to the line of its source', () => {
  const bundle = join(installed, 'program/start.js');
  const words = 'chancery serves ${issuer} on';
  const line = readFileSync(bundle, 'utf8')
    .split('\n')
    .findIndex((text) => text.includes(words));
  const map = new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')) as SourceMapPayload);
  const entry = map.findEntry(line, 10);
  assert.ok('originalSource' in entry && line >= 0);
  assert.equal(entry.originalSource, '../../src/cli/serve.ts');
  const source = readFileSync(join(REPOSITORY, 'src/cli/serve.ts'), 'utf8').split('\n');
  assert.ok(source[entry.originalLine]?.includes(words), `line ${entry.originalLine + 1}`);
});

test('the files of the program are ASCII: V8 keeps them in one octet a character', () => {
  const program = join(installed, 'program');
  // Those of the console run in a browser.
  for (const file of filesIn(program).filter((name) => /\.c?js$/u.test(name) && !name.startsWith('console/')))
    assert.ok(
      readFileSync(join(program, file)).every((octet) => octet < 0x80),
      file,
    );
});

/** Starts `chancery dev` in the folder, and returns once it answers. */
async function development(folder: string, more: { readonly uid?: number; readonly gid?: number } = {}) {
  const [port, management] = [await freePort(), await freePort()];
  const ports = { CHANCERY_LISTEN_PORT: String(port), CHANCERY_MANAGEMENT_LISTEN_PORT: String(management) };
  const program = join(site, 'node_modules/.bin/chancery');
  const env = { ...environment, ...ports };
  const child = endedWithTests(spawn(program, ['dev'], { cwd: folder, env, stdio: 'pipe', ...more }));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  while (child.exitCode === null) {
    const answer = await fetch(`http://127.0.0.1:${port}/jwks.json`).catch(() => undefined);
    if (answer?.status === 200) return child;
    await sleep(20);
  }
  throw new Error(`it ended with ${child.exitCode}:\n${output}`);
}

async function stopped(child: ChildProcess): Promise<readonly unknown[]> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  return await ended;
}

test('chancery dev answers in an empty folder, keeps its data in ./data, and takes the place of its launcher', async () => {
  const empty = join(place, 'empty');
  mkdirSync(empty);
  const child = await development(empty);
  assert.match(readFileSync(`/proc/${child.pid}/cmdline`, 'latin1'), /chancery\.js\0dev/u);
  assert.deepEqual(await stopped(child), [0, null]);
  assert.deepEqual(readdirSync(empty), ['data']);
  assert.ok(readdirSync(join(empty, 'data')).includes('chancery.db'));
});

test('npx finds the command', () => {
  assert.match(npm(site, 'exec', '--', 'chancery', 'version'), /^chancery \d/u);
});

test('a read-only installation runs for a user without rights and without a home, and writes nothing there (H-468)', async () => {
  const folder = mkdtempSync(join(place, 'other-'));
  if (UNPRIVILEGED.uid !== undefined) chownSync(folder, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
  for (const each of foldersIn(join(site, 'node_modules/chancery'))) chmodSync(each, 0o555);
  const before = filesIn(site);
  const nowhere = { ...environment, HOME: '/nonexistent' };
  const { status, stderr } = chancery(['version'], { env: nowhere, ...UNPRIVILEGED });
  assert.deepEqual([status, stderr], [0, '']);
  assert.deepEqual(await stopped(await development(folder, UNPRIVILEGED)), [0, null]);
  assert.deepEqual(filesIn(site), before);
});

test('compiled code is kept in the cache folder of its user, and in none that belongs to another user (H-465)', () => {
  const cache = mkdtempSync(join(place, 'cache-'));
  const environmentWith = { ...environment, XDG_CACHE_HOME: cache };
  if (UNPRIVILEGED.uid !== undefined) {
    chmodSync(cache, 0o777);
    chancery(['version'], { env: environmentWith, ...UNPRIVILEGED });
    assert.deepEqual(readdirSync(cache), []);
  }
  chancery(['version'], { env: environmentWith });
  assert.deepEqual(readdirSync(cache), ['chancery']);
});

test('on an older Node alone, one line says which Node the program needs', () => {
  const old = join(place, 'old-node');
  mkdirSync(old);
  // Stands for the Node of an older distribution: it says its version, and would fail on anything newer.
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.0.0' } })`;
  const preload = join(old, 'pretend.cjs');
  writeFileSync(preload, pretend);
  writeFileSync(join(old, 'node'), `#!/bin/sh\nexec '${process.execPath}' -r '${preload}' "$@"\n`, {
    mode: 0o755,
  });
  const alone = join(place, 'alone');
  cpSync(installed, alone, { recursive: true });
  const env = { PATH: `${old}:/usr/bin:/bin`, HOME: home };
  const { status, stderr } = spawnSync(join(alone, 'bin/chancery'), ['version'], { env, encoding: 'utf8' });
  assert.deepEqual([status, stderr.split('\n').length], [1, 2], stderr);
  assert.match(stderr, /^chancery runs on Node 26 or later; this is Node 22\.0\.0/u);
});

test('the installed package has a typed client that compiles in a strict project, and the API description', () => {
  const consumer = [
    "import { ChanceryError, type ClientInformation, createClient } from 'chancery/client';",
    "import description from 'chancery/openapi.json' with { type: 'json' };",
    "const server = createClient({ issuer: 'https://op.example.com', credentials: { bearer: 'a' } });",
    'const client: ClientInformation = await server.register({ redirect_uris: [] });',
    'const { access_token } = await server.token({ form: { grant_type: client.grant_types[0] ?? "" } });',
    'console.log(access_token, ChanceryError, description.openapi);',
  ];
  const compile = (lines: readonly string[]): string => {
    writeFileSync(join(site, 'consumer.mts'), lines.join('\n'));
    const compiler = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
    const words = [compiler, '--noEmit', '--strict', '--module', 'nodenext', '--types', '', 'consumer.mts'];
    return spawnSync(process.execPath, words, { cwd: site, encoding: 'utf8' }).stdout;
  };
  assert.equal(compile(consumer), '');
  assert.match(compile([...consumer, 'await server.clientRead();']), /Expected 1 arguments/u);
  assert.match(compile([...consumer, 'await server.token({ form: {} });']), /grant_type/u);
  const script = "const { createClient } = await import('chancery/client'); console.log(typeof createClient)";
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: site,
    encoding: 'utf8',
  });
  assert.equal(stdout, 'function\n');
});

test('the installed package has a check of access tokens that compiles in a strict project with the types of Node', () => {
  const consumer = [
    "import { createServer } from 'node:http';",
    "import { type AccessToken, resourceServer } from 'chancery/resource-server';",
    "const credentials = { client_id: 'api', client_secret: 'secret' };",
    "const api = resourceServer({ issuer: 'https://op.example.com', audience: 'https://api.example.com', credentials });",
    'createServer(async (request, response) => {',
    "  const token: AccessToken | undefined = await api.node(request, response, { scope: 'read' });",
    '  if (token !== undefined) response.end(token.sub);',
    '});',
  ];
  writeFileSync(join(site, 'api.mts'), consumer.join('\n'));
  const types = ['--typeRoots', join(REPOSITORY, 'node_modules/@types'), '--types', 'node'];
  const words = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', ...types, 'api.mts'];
  const compiler = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
  assert.equal(spawnSync(process.execPath, [compiler, ...words], { cwd: site, encoding: 'utf8' }).stdout, '');
  const script = "console.log(Object.keys(await import('chancery/resource-server')).join())";
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: site,
    encoding: 'utf8',
  });
  assert.equal(stdout, 'resourceServer\n');
});
