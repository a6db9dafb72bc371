import type { Contract } from '../../src/endpoints/contract.ts';

export interface EndpointFolder {
  readonly name: string;
  /** Below `src/endpoints`. */
  readonly folder: string;
  readonly files: readonly string[];
  readonly contracts: readonly Contract[];
  /** The names of its tests, those of test functions in `src/testing` that it calls included. */
  readonly testNames: readonly string[];
}

/** Serve the operator on the management listener, and no specification. */
const WITHOUT_SPECIFICATION = new Set(['health']);

/** Where a name states the outcome: `401: …`, `…: 401 invalid_client`, `… with 401`, `… answers 401`. */
const OUTCOME = /(?:^|: |\bwith |\banswers )(\d{3})\b/g;

/** Returns what an endpoint's folder lacks: a contract, its story, and a test whose name states each status. */
export function lacking({ name, files, contracts, testNames }: EndpointFolder): readonly string[] {
  const tested = new Set(testNames.flatMap(outcomes));
  const statuses = new Set(contracts.flatMap((contract) => contract.statuses));
  return [
    ...['contract.ts', 'endpoint.ts']
      .filter((file) => !files.includes(file))
      .map((file) => `${name} has no ${file}`),
    ...(contracts.length === 0 ? [`${name} has no contract`] : []),
    ...[...statuses]
      .filter((status) => !tested.has(status))
      .map(
        (status) =>
          `${name} promises ${status}, and no name of a test states it as the outcome: "${status}: …", "…: ${status} …", "… with ${status}", "… answers ${status}"`,
      ),
    ...files
      .filter((file) => /^\d{3}\.test\.ts$/.test(file))
      .map((file) => `${name}/${file} is named after a status`),
    ...contracts
      .filter(unspecified(name))
      .map(
        (contract) =>
          `${contract.name} names no specification: cite one, a section of the interface, or a document (docs/sign-in.md)`,
      ),
  ];
}

function outcomes(testName: string): readonly number[] {
  return [...testName.matchAll(OUTCOME)].map(([, status]) => Number(status));
}

function unspecified(folder: string): (contract: Contract) => boolean {
  return (contract) => contract.specifications.length === 0 && !WITHOUT_SPECIFICATION.has(folder);
}
