import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Contract } from '../src/endpoints/contract.ts';
import type { DescribedServer } from '../src/endpoints/open-api/open-api-document.ts';
import type { EndpointFolder } from './architecture/endpoint-folders.ts';
import { namedTests } from './test-names.ts';

const src = join(dirname(import.meta.dirname), 'src');
const endpoints = join(src, 'endpoints');
const testing = globSync('testing/*.ts', { cwd: src }).map((file) => readFileSync(join(src, file), 'utf8'));

/** Every folder of `src/endpoints` and of `src/endpoints/admin`, with the contracts its `contract.ts` exports. */
export async function readEndpointFolders(): Promise<readonly EndpointFolder[]> {
  const folders = globSync(['*/', 'admin/*/'], { cwd: endpoints }).map((folder) =>
    folder.replace(/\/$/u, ''),
  );
  return await Promise.all(
    folders
      .filter((folder) => folder !== 'admin')
      .sort()
      .map(readFolder),
  );
}

async function readFolder(folder: string): Promise<EndpointFolder> {
  const name = folder.replace('/', '-');
  const files = globSync('*.ts', { cwd: join(endpoints, folder) }).sort();
  const contracts = files.includes('contract.ts') ? await import(join(endpoints, folder, 'contract.ts')) : {};
  const tests = files.filter((file) => file.endsWith('.test.ts'));
  return {
    name,
    folder,
    files,
    contracts: Object.values(contracts as Record<string, unknown>).filter(isContract),
    testNames: tests.flatMap((file) => namesIn(readFileSync(join(endpoints, folder, file), 'utf8'))),
  };
}

/** Returns the names of a file's tests, and of the tests that functions of `src/testing` make for it. */
function namesIn(text: string): readonly string[] {
  const called = [...text.matchAll(/^(test[A-Z]\w*)\(/gm)].map(([, makesTests = '']) => makesTests);
  const made = called.map(bodyOf);
  const within = made.flatMap((body) =>
    [...body.matchAll(/ (test[A-Z]\w*)\(name/gm)].map(([, makesTests = '']) => bodyOf(makesTests)),
  );
  return [text, ...made, ...within].flatMap((body) => namedTests(body)).map(({ name }) => name);
}

function bodyOf(makesTests: string): string {
  const declaration = new RegExp(`^(?:export )?function ${makesTests}\\([\\s\\S]*?^}`, 'm');
  const bodies = testing.map((text) => declaration.exec(text)?.[0]).filter((body) => body !== undefined);
  return bodies.join('\n');
}

function isContract(value: unknown): value is Contract {
  return typeof value === 'object' && value !== null && 'statuses' in value && 'specifications' in value;
}

/** The listeners of a development server, which the API description names. */
const ISSUER = 'http://127.0.0.1:8080';
const MANAGEMENT = 'http://127.0.0.1:9090';
const isManaged = (name: string): boolean =>
  name === 'console' || name === 'health' || name === 'metrics' || name.startsWith('admin-');

/** Returns all endpoints, those of the management listener apart. */
export function describedServers(folders: readonly EndpointFolder[]): readonly DescribedServer[] {
  const contracts = (managed: boolean): readonly Contract[] =>
    folders.filter(({ name }) => isManaged(name) === managed).flatMap((folder) => folder.contracts);
  return [
    { url: ISSUER, contracts: contracts(false) },
    { url: MANAGEMENT, contracts: contracts(true) },
  ];
}
