import type { Law } from './law.ts';
import type { Source } from './source.ts';

const LOWEST = ['spec', 'ports'];
const DOMAIN = ['keys', 'tokens', 'clients', 'events', 'sessions', 'grants', 'federation', 'endpoints'];
const IMPLEMENTATIONS = ['storage', 'jose', 'outbound', 'system', 'pages', 'saml'];

/** A tenant gets the implementations of ports from its platform (docs/architecture.md). */
const TENANT = [...LOWEST, ...DOMAIN, 'config', 'http'];
const PROCESS = [...TENANT, ...IMPLEMENTATIONS, 'tenant'];

/** The one file of `config` that the domain sees, as a type: needs pass the settings on as they are (ADR 30). */
const SETTINGS = 'src/config/settings.ts';
const SETTINGS_TYPE = /^import type \{ Settings \} from '(?:\.\.\/)+config\/settings\.ts';$/gm;

/** The floors that each floor may import, beside itself. */
export const FLOORS: ReadonlyMap<string, readonly string[]> = new Map([
  ['client', []],
  ['console', ['client']],
  ['resource-server', []],
  ['spec', []],
  ['ports', ['spec']],
  ...DOMAIN.map((floor, index) => [floor, [...LOWEST, ...DOMAIN.slice(0, index)]] as const),
  ...IMPLEMENTATIONS.map((floor) => [floor, LOWEST] as const),
  ['config', ['spec']],
  ['http', [...LOWEST, ...DOMAIN]],
  ['tenant', TENANT],
  ['process', PROCESS],
  ['cli', [...PROCESS, 'process']],
]);

/** The one folder that knows the package. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  jose: /^src\/jose\//,
  pg: /^src\/storage\/postgres\//,
  'node:sqlite': /^src\/storage\/sqlite\//,
  pino: /^src\/system\//,
  'prom-client': /^src\/system\//,
  liquidjs: /^src\/pages\//,
  'xml-crypto': /^src\/saml\//,
  '@cfworker/json-schema': /^src\/system\//,
  re2js: /^src\/system\//,
  zod: /^src\/config\//,
  yaml: /^src\/config\//,
  preact: /^src\/console\//,
  '@preact/signals': /^src\/console\//,
};

/** Folders that may read the clock of the machine: for the Date header, for deadlines and for the age of a schema. The console runs in a browser, and the check of tokens in programs of others. */
const MACHINE = /^src\/(process|cli|system|testing|http|storage|outbound|console|resource-server)\//;

export const FLOOR_LAWS: readonly Law[] = [
  {
    name: 'a floor imports only floors below it',
    over: 'program',
    violations: ({ path, imports }) => imports.flatMap(upwardFrom(path)),
    broken: [
      ['src/spec/a.ts', "import type { B } from '../ports/b.ts';"],
      ['src/keys/a.ts', "import { b } from '../tokens/b.ts';"],
      ['src/clients/a/b.ts', "export { c } from '../../grants/c.ts';"],
      ['src/tokens/a.ts', "import { b } from '../system/b.ts';"],
      ['src/storage/sqlite/a.ts', "const b = await import('../../jose/b.ts');"],
      ['src/outbound/a.ts', "import { b } from '../keys/b.ts';"],
      ['src/config/a.ts', "import {\n  b,\n} from '../ports/b.ts';"],
      ['src/endpoints/a/endpoint.ts', "import '../../http/b.ts';"],
      ['src/console/a.ts', "import { b } from '../spec/b.ts';"],
      ['src/tenant/a.ts', "import { b } from '../console/b.ts';"],
      ['src/unheard-of/a.ts', "import { b } from '../spec/b.ts';"],
      ['src/keys/a.ts', "import { b } from '../process/serve.ts';"],
      ['src/tenant/a.ts', "import { b } from '../process/b.ts';"],
      ['src/tenant/a.ts', "import { b } from '../testing/b.ts';"],
      ['src/tenant/a.ts', "import { b } from '../jose/b.ts';"],
      ['src/tenant/a.ts', "import type { B } from '../storage/b.ts';"],
      ['src/process/a.ts', "import { b } from '../cli/b.ts';"],
      ['src/cli/a.ts', "import { b } from '../testing/b.ts';"],
      ['src/tenant.ts', "import { b } from './tenant/b.ts';"],
      ['src/clients/a.ts', "import type { Setting } from '../config/setting.ts';"],
      ['src/spec/a.ts', "import type { Settings } from '../config/settings.ts';"],
      ['src/storage/a.ts', "import type { Settings } from '../config/settings.ts';"],
      ['src/http/a.ts', "import type { Settings } from '../config/settings.ts';"],
    ],
    kept: [
      ['src/endpoints/a/endpoint.ts', "import { b } from '../../clients/b.ts';\nimport 'node:util';"],
      ['src/storage/sqlite/a.ts', "import { b } from './b.ts';\nimport type { C } from '../../ports/c.ts';"],
      ['src/process/storage.ts', "import { b } from '../storage/sqlite/b.ts';"],
      ['src/tenant/tenant.ts', "import { b } from './issuer.ts';\nimport type { C } from '../http/c.ts';"],
      ['src/cli/serve.ts', "import { b } from '../process/b.ts';"],
      ['src/grants/a.ts', "import type { Settings } from '../config/settings.ts';"],
    ],
  },
  {
    name: 'the domain takes nothing from config but the type of the settings',
    over: 'program',
    violations: ({ path, text, imports }) => {
      if (!DOMAIN.includes(floorOf(path) ?? '')) return [];
      const types = [...text.matchAll(SETTINGS_TYPE)].length;
      return imports
        .filter((to) => to === SETTINGS)
        .slice(types)
        .map(imported);
    },
    broken: [
      ['src/grants/a.ts', "import { SETTINGS } from '../config/settings.ts';"],
      ['src/grants/a.ts', "import { type Settings } from '../config/settings.ts';"],
      ['src/grants/a.ts', "import type { Settings, SettingPath } from '../config/settings.ts';"],
      ['src/grants/a.ts', "export type { Settings } from '../config/settings.ts';"],
      ['src/clients/a/b.ts', "const b = await import('../../config/settings.ts');"],
      [
        'src/clients/a.ts',
        "import type { Settings } from '../config/settings.ts';\nimport { SETTINGS } from '../config/settings.ts';",
      ],
    ],
    kept: [
      ['src/clients/a/b.ts', "import type { Settings } from '../../config/settings.ts';"],
      ['src/tenant/a.ts', "import { SETTINGS } from '../config/settings.ts';"],
    ],
  },
  {
    name: 'a tenant takes only types from http',
    over: 'program',
    violations: ({ path, text }) =>
      path.startsWith('src/tenant/')
        ? [...text.matchAll(/^import (?!type\b)[^;]*'[^']*\/http\/[^']*'/gm)].map(([found]) => found)
        : [],
    broken: [
      ['src/tenant/a.ts', "import { b } from '../http/b.ts';"],
      ['src/tenant/a.ts', "import {\n  b,\n  type C,\n} from '../http/b.ts';"],
    ],
    kept: [
      ['src/tenant/a.ts', "import type { B } from '../http/b.ts';\nimport { c } from '../spec/c.ts';"],
      ['src/process/a.ts', "import { b } from '../http/b.ts';"],
    ],
  },
  {
    name: 'the machine is read in the process only: clocks and random numbers come from the platform',
    over: 'program',
    violations: ({ path, imports, code }) => (MACHINE.test(path) ? [] : reachesForMachine(imports, code)),
    broken: [
      ['src/tenant/a.ts', "import { systemClock } from '../system/clock.ts';"],
      ['src/endpoints/a/endpoint.ts', "import { systemRandom } from '../../system/random.ts';"],
      ['src/grants/a.ts', 'const now = Date.now();'],
      ['src/clients/a.ts', 'const now = new Date();'],
      ['src/tokens/a.ts', 'const now = performance.now();'],
      ['src/keys/a.ts', 'const x = Math.random();'],
    ],
    kept: [
      ['src/process/a.ts', "import { systemClock } from '../system/clock.ts';"],
      ['src/cli/a.ts', 'const now = Date.now();'],
      ['src/endpoints/a/endpoint.ts', 'const text = new Date(1000).toISOString();'],
      ['src/http/a.ts', 'const seconds = performance.now() - started;'],
      ['src/storage/a.ts', 'const until = performance.now() + 1000;'],
    ],
  },
  {
    name: 'endpoints never import each other, only the files of their floor',
    over: 'program',
    violations: ({ path, imports }) => imports.filter((to) => otherEndpoint(path, to)).map(imported),
    broken: [['src/endpoints/token/endpoint.ts', "import { b } from '../introspection/endpoint.ts';"]],
    kept: [
      [
        'src/endpoints/token/endpoint.ts',
        "import { b } from './contract.ts';\nimport { c } from '../answer.ts';",
      ],
    ],
  },
  {
    name: 'a package is known to one folder',
    over: 'program',
    violations: ({ path, imports }) => imports.filter((to) => strangePackage(path, to)).map(strange),
    broken: [
      ['src/endpoints/a/endpoint.ts', "import { Liquid } from 'liquidjs';"],
      ['src/keys/a.ts', "import { importJWK } from 'jose';"],
      ['src/storage/sqlite/a.ts', "import pg from 'pg';"],
      ['src/storage/postgres/a.ts', "import { DatabaseSync } from 'node:sqlite';"],
      ['src/http/a.ts', "import { pino } from 'pino';"],
      ['src/spec/a.ts', "import { z } from 'zod/mini';"],
      ['src/http/b.ts', "import { a } from 'package-without-an-adr';"],
      ['src/process/serve.ts', "import { b } from 'prom-client';"],
    ],
    kept: [
      ['src/config/a.ts', "import { z } from 'zod/mini';"],
      ['src/spec/a.ts', "import { createHash } from 'node:crypto';"],
    ],
  },
];

function reachesForMachine(imports: readonly string[], code: string): readonly string[] {
  const sources = imports.filter((to) => /^src\/system\/(clock|random)\.ts$/.test(to)).map(imported);
  const calls = code.matchAll(/\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bMath\.random\(/g);
  return [...sources, ...[...calls].map(([found]) => `calls ${found}`)];
}

function upwardFrom(path: string): (to: string) => readonly string[] {
  const floor = floorOf(path);
  const seen = floor === undefined ? undefined : FLOORS.get(floor);
  return (to) => {
    if (!to.startsWith('src/')) return [];
    if (floor === undefined || seen === undefined) return [`is on no floor, and imports ${to}`];
    if (to === SETTINGS && DOMAIN.includes(floor)) return [];
    const target = floorOf(to);
    if (target === floor || (target !== undefined && seen.includes(target))) return [];
    return [`${imported(to)}; the floor ${floor} may import ${[floor, ...seen].join(', ')}`];
  };
}

/** Returns undefined for files that lie in no folder of `src`. */
function floorOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

function otherEndpoint(path: string, to: string): boolean {
  const [own, other] = [path, to].map((file) => /^src\/endpoints\/([^/]+)\//.exec(file)?.[1]);
  return own !== undefined && other !== undefined && own !== other;
}

function strangePackage(path: Source['path'], to: string): boolean {
  if (to.startsWith('src/')) return false;
  const name = packageOf(to);
  if (name.startsWith('node:') && !(name in PACKAGES)) return false;
  return PACKAGES[name]?.test(path) !== true;
}

function strange(to: string): string {
  const place = PACKAGES[packageOf(to)];
  if (place !== undefined) return `${imported(to)}; only ${place.source.replaceAll(/[\^\\]/g, '')} may`;
  return `${imported(to)}, which is no source of this program and no package of PACKAGES in tools/architecture/floors.ts`;
}

function packageOf(to: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(to)?.[0] ?? to;
}

function imported(to: string): string {
  return `imports ${to}`;
}
