import type { RawAnswer } from '../../test/program/raw-socket.ts';
import { basic, httpSubject, readRequest, requestHead } from '../http-subject.ts';
import { FORM, verifyActive } from '../introspection-load.ts';
import type { LoadRequest } from '../load.ts';
import type { Registry } from '../registry.ts';
import { type Bench, type Benchmark, FEW_CLIENTS, type Subject } from '../subject.ts';
import { verifyRead } from './get.ts';

/** Not a third more time for a look-up in the large registry than in the small one. */
const GROWTH_AIM = 1 / (1 + 1 / 3);

const nameOf = (clients: number): string => `ours, ${clients.toLocaleString('en')} clients`;

function introspectionByEach({ clients, access_token }: Registry): readonly LoadRequest[] {
  return clients.map(({ client_id, client_secret }) => ({
    head: requestHead('POST', '/token/introspect', {
      ...FORM,
      authorization: basic(client_id, client_secret),
    }),
    body: `token=${access_token}`,
  }));
}

function readingOf({ clients }: Registry): readonly LoadRequest[] {
  return clients.map((client) =>
    readRequest(`/clients/${client.client_id}`, client.registration_access_token),
  );
}

/** The same load on a small and on a large registry, by clients from everywhere in it. */
function lookup(
  title: string,
  requestsTo: (registry: Registry) => readonly LoadRequest[],
  verify: (answer: RawAnswer) => void,
): Benchmark {
  const open = async (bench: Bench, clients: number): Promise<Subject> => {
    const registry = await bench.registry(clients);
    const { port, pid } = registry.program;
    const server = { name: nameOf(clients), pid, close: async () => undefined };
    return (await httpSubject(bench, server, { port, requests: requestsTo(registry) }, verify)).subject;
  };
  return {
    name: 'lookup',
    title,
    unit: 'per second',
    needsTokens: false,
    needsManyClients: true,
    aims: [{ against: nameOf(FEW_CLIENTS), atLeast: GROWTH_AIM }],
    rounds: (scale) => scale.rounds,
    open: async (bench) => [await open(bench, bench.scale.manyClients), await open(bench, FEW_CLIENTS)],
  };
}

export const authenticationLookup = lookup(
  'Client authentication among many clients: introspection, each request by another client',
  introspectionByEach,
  verifyActive,
);

export const readLookup = lookup(
  'Client read among many clients, by registration token',
  readingOf,
  verifyRead,
);
