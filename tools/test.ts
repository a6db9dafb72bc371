// npm test: the checks, then every test. Its last line is `N passed, N failed, N skipped`; ends with 1 when anything
// failed, or when a group ran no test.
import { fork } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { startTestServer } from '../src/testing/postgres/server.ts';
import { PROGRAM_VARIABLE } from '../src/testing/program.ts';
import { installClients, LEFT_OUT_VARIABLE } from '../test/clients/installed.ts';
import { TENANT_VARIABLE } from '../test/program/second-tenant.ts';
import { ENGINE_VARIABLE } from '../test/program/storage-place.ts';
import { buildPackage, DIST } from './build/package.ts';
import { runChecks, STATIC_CHECKS } from './checks.ts';
import { ended, environment, ROOT } from './child.ts';
import { ownFiles } from './own-files.ts';
import { addTallies, emptyTally, type Tally, tallyLine } from './test-tally.ts';

interface Group {
  readonly name: string;
  readonly files: readonly string[];
  /** `none`: one process for all files, for tests that open no files, sockets or processes. */
  readonly isolation: 'none' | 'process';
  readonly environment?: Readonly<Record<string, string>>;
  /** Processes that share the files of a group without isolation, one for each CPU. */
  readonly processes?: number;
  /** The environment variable that leaves the group out, with the value 1. Nothing that decides about a change may set it. */
  readonly leftOutBy?: string;
}

/** Tests of programs wait for a good part of their time: with one file for each of two CPUs these were idle for 44 % of it. */
const FILES_AT_ONCE = 3;

/** A group that takes longer hangs. It is killed and counts as failed. */
const GROUP_TIMEOUT_MS = 1_800_000;

const all = (pattern: string): string[] => ownFiles(ROOT, pattern);
const ownProcess = /^src\/(storage|cli)\//;
const inBrowser = /^test\/browser\//;
const ofClients = /^test\/(clients|examples)\//;
/** They need nginx and Caddy: `npm run proxies` runs them. */
const ofProxies = /^test\/proxies\//;
const besideSources = all('src/**/*.test.ts');

/**
 * Journeys that write and read most, which also run on PostgreSQL. The other journeys spend their time starting commands;
 * `npm run test:postgres` runs them on PostgreSQL.
 */
const ON_POSTGRES = [
  'test/faults/kill.test.ts',
  ...[
    'key-rotation',
    'logout',
    'management-conformance',
    'oauth4webapi',
    'registration-conformance',
    'registry-abuse',
    'registry-hygiene',
    'registry-two-processes',
    'sign-in',
    'tenants-in-trouble',
    'token-conformance',
    'tokens',
    'two-servers',
  ].map((name) => `test/journeys/${name}.test.ts`),
];

/** These tests do not depend on the tenant, so that the program may serve two. The two others are about what only the default tenant has. */
const forAnyTenant = /\/(?!admin-(?:backups|declared-tenants)\.)[^/]*\.program\.test\.ts$/u;
const hostile = all('test/hostile/**/*.test.ts');

/**
 * The started program is that of the package, as operators run it: it starts in half the time. These tests also run on the sources.
 * They meet each part that differs between the two: entry, threads, worker processes, pages, packages that load late.
 */
const PACKAGE = { [PROGRAM_VARIABLE]: 'dist' };
const ON_THE_SOURCES = [
  'src/cli/chancery.test.ts',
  'test/faults/kill.test.ts',
  ...['assertion-grants', 'backup', 'first-steps', 'migrate-commands', 'sign-in', 'starting', 'workers'].map(
    (name) => `test/journeys/${name}.test.ts`,
  ),
];

/** Folders with a lock file of their own, which the group of clients and examples needs. */
const INSTALLED = ['test/clients', 'test/clients/mcp', 'examples', 'site'];

const GROUPS: readonly Group[] = [
  {
    name: 'pure',
    isolation: 'none',
    processes: 2,
    files: besideSources.filter((file) => !ownProcess.test(file)),
  },
  {
    name: 'storage, commands, tools',
    isolation: 'process',
    files: [...besideSources.filter((file) => ownProcess.test(file)), ...all('tools/**/*.test.ts')],
  },
  {
    name: 'started program',
    isolation: 'process',
    files: all('test/**/*.test.ts').filter(
      (file) => !inBrowser.test(file) && !ofClients.test(file) && !ofProxies.test(file),
    ),
    environment: PACKAGE,
  },
  { name: 'started program of the sources', isolation: 'process', files: ON_THE_SOURCES },
  {
    name: 'in a browser',
    // The files of a process share one Chromium.
    isolation: 'none',
    processes: 2,
    files: all('test/**/*.test.ts').filter((file) => inBrowser.test(file)),
    leftOutBy: 'CHANCERY_NO_BROWSER',
  },
  {
    name: 'clients of other authors, examples',
    isolation: 'process',
    // `npm run clients` runs those that Debian brings.
    files: [...all('test/clients/{,mcp/}*.test.ts'), ...all('test/examples/*.test.ts')],
    leftOutBy: LEFT_OUT_VARIABLE,
  },
  {
    name: 'hostile on PostgreSQL, to the second of two tenants',
    isolation: 'process',
    files: hostile.filter((file) => forAnyTenant.test(file)),
    environment: { ...PACKAGE, [TENANT_VARIABLE]: 'b', [ENGINE_VARIABLE]: 'postgres' },
  },
  {
    name: 'started program on PostgreSQL',
    isolation: 'process',
    files: [...hostile.filter((file) => !forAnyTenant.test(file)), ...ON_POSTGRES],
    environment: { ...PACKAGE, [ENGINE_VARIABLE]: 'postgres' },
  },
];

const start = performance.now();
const tallies: Tally[] = [{ ...(await runChecks(STATIC_CHECKS)), skipped: 0 }];
if (process.env[LEFT_OUT_VARIABLE] !== '1') for (const folder of INSTALLED) await installClients(folder);
await buildPackage(DIST);
const postgres = await startTestServer();
try {
  for (const group of GROUPS) tallies.push(isLeftOut(group) ? leftOut(group) : await runGroup(group));
} finally {
  await postgres.stop();
}
const total = addTallies(tallies);
process.stdout.write(`${((performance.now() - start) / 1000).toFixed(0)} s\n${tallyLine(total)}\n`);
if (total.failed > 0) process.exitCode = 1;

async function runGroup({ processes = 1, ...group }: Group): Promise<Tally> {
  if (group.files.length === 0) return failed(group.name, emptyTally(), 'no test files');
  if (processes === 1) return await runFiles(group);
  // Files of about the same length take about the same time, so each process gets every second one.
  const byLength = group.files.toSorted((one, other) => lengthOf(other) - lengthOf(one));
  const shares = Array.from({ length: processes }, (_, share) =>
    byLength.filter((_file, index) => index % processes === share),
  );
  return addTallies(await Promise.all(shares.map(async (files) => await runFiles({ ...group, files }))));
}

function lengthOf(file: string): number {
  return statSync(join(ROOT, file)).size;
}

async function runFiles({ name, isolation, files, environment: own = {} }: Group): Promise<Tally> {
  const groupStart = performance.now();
  const child = fork(`${ROOT}/tools/test-group.ts`, [isolation, `--concurrency=${FILES_AT_ONCE}`, ...files], {
    cwd: ROOT,
    env: { ...environment(), CHANCERY_TEST_POSTGRES_PORT: String(postgres.port), ...own },
    timeout: GROUP_TIMEOUT_MS,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  let tally = emptyTally();
  child.on('message', (message) => {
    tally = message as Tally;
  });
  const how = await ended(child);
  const ran = `${files.length} files, ${((performance.now() - groupStart) / 1000).toFixed(1)} s`;
  if (tally.failed === 0 && how !== 0) return failed(name, tally, `${ran}, ended with ${how}`);
  process.stdout.write(`${tally.failed === 0 ? '✔' : '✖'} ${name}: ${tallyLine(tally)} (${ran})\n`);
  return tally;
}

/** For a machine without a browser or a registry, to see the other tests. */
function isLeftOut({ leftOutBy }: Group): boolean {
  return leftOutBy !== undefined && process.env[leftOutBy] === '1';
}

function leftOut({ name, files, leftOutBy }: Group): Tally {
  process.stdout.write(`– ${name}: left out, because ${leftOutBy} is set (${files.length} files)\n`);
  return { ...emptyTally(), skipped: files.length };
}

/** A group that fails as such, and not by one of its tests, is one failure. */
function failed(name: string, tally: Tally, reason: string): Tally {
  process.stdout.write(`✖ ${name}: ${tallyLine(tally)} (${reason})\n`);
  return { ...tally, failed: tally.failed + 1 };
}
