import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Contract } from '../src/endpoints/contract.ts';
import type { EndpointFolder } from './architecture/endpoint-folders.ts';

const endpoints = join(dirname(import.meta.dirname), 'src/endpoints');

/** Every folder of `src/endpoints`, with the contracts its `contract.ts` exports. */
export async function readEndpointFolders(): Promise<readonly EndpointFolder[]> {
  const folders = globSync('*/', { cwd: endpoints }).map((folder) => basename(folder));
  return await Promise.all(folders.sort().map(readFolder));
}

async function readFolder(name: string): Promise<EndpointFolder> {
  const files = globSync('*.ts', { cwd: join(endpoints, name) }).sort();
  const contracts = files.includes('contract.ts') ? await import(join(endpoints, name, 'contract.ts')) : {};
  return { name, files, contracts: Object.values(contracts as Record<string, unknown>).filter(isContract) };
}

function isContract(value: unknown): value is Contract {
  return typeof value === 'object' && value !== null && 'statuses' in value && 'specifications' in value;
}
