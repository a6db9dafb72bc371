import { statSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM_VARIABLE } from '../src/testing/program.ts';
import { LEFT_OUT_VARIABLE } from '../test/clients/installed.ts';
import { TENANT_VARIABLE } from '../test/program/second-tenant.ts';
import { ENGINE_VARIABLE } from '../test/program/storage-place.ts';
import { ROOT } from './child.ts';
import { ownFiles } from './own-files.ts';

export interface Group {
  readonly name: string;
  readonly files: readonly string[];
  /** `none`: one process for all files, for tests that open no files, sockets or processes. */
  readonly isolation: 'none' | 'process';
  readonly environment?: Readonly<Record<string, string>>;
  /** Processes that share the files of a group without isolation. */
  readonly processes?: number;
  /** The environment variable that leaves the group out, with the value 1. Nothing that decides about a change may set it. */
  readonly leftOutBy?: string;
}

const all = (pattern: string): string[] => ownFiles(ROOT, pattern);
/** Those of `jose` and two others replace functions of Node, which code of the same process may have compiled in. */
const ownProcess = /^src\/(storage|cli|jose)\/|(kept-statements|proof-keys)\.test\.ts$/;
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
  'test/faults/killed-grants.test.ts',
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
export const INSTALLED = ['test/clients', 'test/clients/mcp', 'examples', 'site'];

export const GROUPS: readonly Group[] = [
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

/** Test files that run one after another in one lane. */
export interface Share {
  readonly group: Group;
  readonly files: readonly string[];
}

/** Divides a group into what may run at once: single files, or the files of each process. */
export function sharesOf(group: Group): readonly Share[] {
  if (group.isolation === 'process') return group.files.map((file) => ({ group, files: [file] }));
  const { processes = 1 } = group;
  // Files of about the same length take about the same time, so each process gets every second one.
  const byLength = group.files.toSorted((one, other) => lengthOf(other) - lengthOf(one));
  return Array.from({ length: processes }, (_, share) => ({
    group,
    files: byLength.filter((_file, index) => index % processes === share),
  }));
}

const lengthOf = (file: string): number => statSync(join(ROOT, file)).size;
