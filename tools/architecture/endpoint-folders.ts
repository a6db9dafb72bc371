import type { Contract } from '../../src/endpoints/contract.ts';

export interface EndpointFolder {
  readonly name: string;
  readonly files: readonly string[];
  readonly contracts: readonly Contract[];
}

/** Serve the operator on the management listener, and no specification. */
const WITHOUT_SPECIFICATION = new Set(['health']);

/** What an endpoint's folder lacks: `ls` shows what is promised and what is tested. */
export function lacking({ name, files, contracts }: EndpointFolder): readonly string[] {
  const statuses = new Set(contracts.flatMap((contract) => contract.statuses));
  const wanted = ['contract.ts', 'endpoint.ts', ...[...statuses].map((status) => `${status}.test.ts`)];
  return [
    ...wanted.filter((file) => !files.includes(file)).map((file) => `${name} has no ${file}`),
    ...(contracts.length === 0 ? [`${name} has no contract`] : []),
    ...contracts.filter(unspecified(name)).map((contract) => `${contract.name} names no specification`),
  ];
}

function unspecified(folder: string): (contract: Contract) => boolean {
  return (contract) => contract.specifications.length === 0 && !WITHOUT_SPECIFICATION.has(folder);
}
