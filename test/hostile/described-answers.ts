import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Contract } from '../../src/endpoints/contract.ts';
import { assertDescribedOrRefused, type SentResponse } from '../../src/testing/api-description.ts';

const endpoints = join(import.meta.dirname, '../../src/endpoints');

/** Every endpoint, by method and path below the issuer. */
const CONTRACTS = new Map<string, Contract>();
/** Those whose path has segments that vary. */
const WITH_SEGMENTS: { readonly contract: Contract; readonly paths: RegExp }[] = [];

for (const file of globSync(['*/contract.ts', 'admin/*/*contract.ts'], { cwd: endpoints }).sort()) {
  const contracts = Object.values((await import(join(endpoints, file))) as Readonly<Record<string, unknown>>);
  for (const each of contracts) if (isContract(each)) place(each);
}

function isContract(value: unknown): value is Contract {
  return typeof value === 'object' && value !== null && 'statuses' in value;
}

/** Contracts of one endpoint with other settings have one place: the first one describes it. */
function place(contract: Contract): void {
  const key = `${contract.method} ${contract.path}`;
  if (CONTRACTS.has(key)) return;
  CONTRACTS.set(key, contract);
  if (!contract.path.includes('{')) return;
  const paths = contract.path.replaceAll('.', '\\.').replaceAll(/\{[a-z_]+\}/gu, '[^/]+');
  WITH_SEGMENTS.push({ contract, paths: new RegExp(`^${paths}$`, 'u') });
}

function withSegments(method: string, path: string): Contract | undefined {
  return WITH_SEGMENTS.find(({ contract, paths }) => contract.method === method && paths.test(path))
    ?.contract;
}

/**
 * Asserts that the API description has this answer. Passes over answers at addresses where no endpoint is.
 * @param path as sent, below the issuer
 */
export function assertDescribedAnswer(method: string, path: string, sent: SentResponse): void {
  const exact = path.replace(/\?.*$/su, '');
  const contract = CONTRACTS.get(`${method} ${exact}`) ?? withSegments(method, exact);
  if (contract !== undefined) assertDescribedOrRefused(contract, sent);
}
