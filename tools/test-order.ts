const hostile = (name: string): string => `test/hostile/${name}.program.test.ts`;
const journey = (name: string): string => `test/journeys/${name}.test.ts`;

/**
 * Files that wait most of their time, for instance until a code expires, a retry is due or a lease ends: less than a third of a
 * processor each, more than 10 s long. They have lanes of their own.
 */
export const WAITING: ReadonlySet<string> = new Set([
  'test/conformance/conformance.test.ts',
  'test/faults/clock-at-start.test.ts',
  'test/faults/unhandled-error.test.ts',
  'test/hostile/outbound-flood.test.ts',
  ...['client-assertion', 'events', 'federated-clients', 'signals'].map(hostile),
  ...['one-core', 'rolling', 'three-nodes'].map(journey),
]);

/** Files that take longest, in their order. They begin first, so that the run does not end with one of them alone. */
export const FIRST: readonly string[] = [
  ...WAITING,
  'src/storage/sqlite/storage.test.ts',
  'src/storage/postgres/storage.test.ts',
  'src/storage/copy-registry.test.ts',
  'src/storage/sqlite/stale-answers.test.ts',
  ...['client-metadata-body', 'memory', 'redirect-uri'].map(hostile),
  'test/hostile/bodies.test.ts',
  ...['backup', 'federation-lab', 'registry-commands', 'workers'].map(journey),
  'test/clients/mcp/sdk.test.ts',
];
