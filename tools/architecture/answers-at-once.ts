import type { Law } from './law.ts';

/**
 * The path of an introspection, of a bearer token and of a client look-up. `npm run bench` shows what a promise for each of
 * its steps costs there; everywhere else it costs nothing that can be measured.
 */
const ALLOWED: ReadonlySet<string> = new Set([
  'src/spec/awaitable.ts',
  'src/ports/access-token-store.ts',
  'src/ports/change-journal.ts',
  'src/ports/client-store.ts',
  'src/ports/server-key-store.ts',
  'src/ports/tenant-store.ts',
  'src/storage/journal-follower.ts',
  'src/storage/record-cache.ts',
  'src/storage/failed-reads.ts',
  'src/keys/server-keys.ts',
  'src/tokens/access-token.ts',
  'src/tokens/self-contained-token.ts',
  'src/clients/registered-client.ts',
  'src/clients/client-authentication/authenticate-client.ts',
  'src/clients/client-authentication/method.ts',
  'src/endpoints/answer.ts',
  'src/endpoints/introspection-caller.ts',
  'src/endpoints/introspection/endpoint.ts',
  'src/http/serve-request.ts',
  'src/system/tracing.ts',
]);

const AT_ONCE = /\bAwaitable\b|\bwhenKnown\b|\binstanceof Promise\b/;

export const ANSWERS_AT_ONCE: Law = {
  name: 'only the hot path answers without a promise',
  over: 'program',
  violations: ({ path, code }) => {
    const does = AT_ONCE.test(code);
    if (does && !ALLOWED.has(path)) return ['must use async and await'];
    return !does && ALLOWED.has(path) ? ['is on the list and need not be'] : [];
  },
  broken: [
    ['src/grants/a.ts', "import type { Awaitable } from '../spec/awaitable.ts';"],
    ['src/grants/b.ts', 'return whenKnown(found, (client) => client.metadata);'],
    [
      'src/endpoints/jwk-set/endpoint.ts',
      'return found instanceof Promise ? found.then(seen) : seen(found);',
    ],
    ['src/endpoints/introspection-caller.ts', 'export async function callerOf(): Promise<void> {}'],
  ],
  kept: [
    ['src/endpoints/introspection-caller.ts', 'return whenKnown(found, (client) => client.metadata);'],
    ['src/grants/a.ts', '// As Awaitable once did.\nexport async function a(): Promise<void> {}'],
  ],
};
