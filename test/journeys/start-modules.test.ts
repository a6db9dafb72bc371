import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PROGRAM } from '../../src/testing/program.ts';
import { startProgram } from '../program/start.ts';
import { ENGINE_VARIABLE } from '../program/storage-place.ts';

const isPackage = PROGRAM.endsWith('.js');
const other = process.env[ENGINE_VARIABLE] === 'postgres' ? 'sqlite' : 'postgres';

/** Parts that a server loads when it first needs them (docs/adr/0098-late-loading.md): their files in the sources and in the package. */
const LATE: readonly (readonly [string, RegExp, RegExp])[] = [
  [
    'the other storage engine',
    new RegExp(`/src/storage/${other}/open`, 'u'),
    new RegExp(`/${other}\\.js$`, 'u'),
  ],
  ['the administration API', /\/src\/endpoints\/admin\/[^/]+\//u, /\/administration\.js$/u],
  ['the federation', /\/src\/federation\/(?!signed-document)/u, /\/federation\.js$/u],
  ['streams of security events', /\/src\/endpoints\/event-stream/u, /\/event-signals\.js$/u],
  ['the template engine', /\/node_modules\/liquidjs\//u, /\/liquidjs\.cjs$/u],
  ['the metrics of Node', /\/node_modules\/prom-client\//u, /\/prom-client\.js$/u],
  ['SAML', /\/node_modules\/xml-crypto\//u, /\/xml-crypto\.cjs$/u],
  ['regular expressions of schemas', /\/node_modules\/re2js\//u, /\/re2js\.cjs$/u],
  ['JSON Schema', /\/node_modules\/@cfworker\//u, /\/@cfworker\//u],
  ['commands', /\/src\/cli\/(?:clients|doctor|init|plan|remote\/run-remote)\.ts$/u, /\/commands\.js$/u],
];

/** The most that a start may read, about a twentieth above what it read when this was set. Load a part late before you raise it. */
const MOST = isPackage ? { files: 20, bytes: 1_940_000 } : { files: 820, bytes: 3_950_000 };

/** Writes the name of each module that the main thread loads to the file that the environment names. */
const RECORDER = `
  import { appendFileSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  import { isMainThread } from 'node:worker_threads';
  if (isMainThread)
    registerHooks({ load(url, context, next) {
      if (url.startsWith('file:')) appendFileSync(process.env.LOADED_MODULES, url + '\\n');
      return next(url, context);
    } });`;

const folder = mkdtempSync(join(tmpdir(), 'chancery-modules-'));
let loaded: readonly string[] = [];

before(async () => {
  const [recorder, list] = [join(folder, 'recorder.mjs'), join(folder, 'loaded')];
  writeFileSync(recorder, RECORDER);
  const environment = { NODE_OPTIONS: `--import=${recorder}`, LOADED_MODULES: list };
  const program = await startProgram({ environment });
  try {
    assert.equal((await fetch(`${program.url}/jwks.json`)).status, 200);
  } finally {
    await program.stop();
  }
  loaded = readFileSync(list, 'utf8')
    .trim()
    .split('\n')
    .map((url) => fileURLToPath(url));
});

after(() => rmSync(folder, { recursive: true }));

for (const [part, source, file] of LATE) {
  test(`a server that has answered its first request has not loaded ${part}`, () => {
    assert.deepEqual(
      loaded.filter((path) => (isPackage ? file : source).test(path)),
      [],
    );
  });
}

test('a start reads no more files and octets of the program than it is allowed', () => {
  assert.ok(loaded.includes(PROGRAM), 'the recorder saw the program');
  const bytes = loaded.reduce((sum, path) => sum + statSync(path).size, 0);
  assert.ok(
    loaded.length <= MOST.files && bytes <= MOST.bytes,
    `${loaded.length} files and ${bytes} octets were read, ${MOST.files} and ${MOST.bytes} are allowed`,
  );
});
