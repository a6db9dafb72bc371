import { basic, httpSubject, requestHead } from '../http-subject.ts';
import { FORM, verifyActive } from '../introspection-load.ts';
import type { LoadRequest } from '../load.ts';
import type { Registry } from '../registry.ts';
import { type Bench, type Benchmark, FEW_CLIENTS, type Subject } from '../subject.ts';

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

/** The same load on a small and on a large registry, from clients everywhere in it. */
export const lookup: Benchmark = {
  name: 'lookup',
  title:
    'Client authentication among many clients: introspection, each request by another client, not the first one of each',
  unit: 'per second',
  needsTokens: false,
  needsManyClients: true,
  aims: [{ against: nameOf(FEW_CLIENTS), atLeast: 0.85 }],
  rounds: (scale) => scale.rounds,
  open: async (bench) => [await open(bench, bench.scale.manyClients), await open(bench, FEW_CLIENTS)],
};

async function open(bench: Bench, clients: number): Promise<Subject> {
  const registry = await bench.registry(clients);
  const { port, pid } = registry.program;
  const server = { name: nameOf(clients), pid, close: async () => undefined };
  const order = { port, requests: introspectionByEach(registry) };
  const { subject } = await httpSubject(bench, server, order, verifyActive);
  await askByAll(subject, registry.clients.length, bench.scale.round_ms / 1000);
  return subject;
}

/** The first authentication of a client reads its record and notes its use. The rounds measure the later ones. */
async function askByAll(subject: Subject, clients: number, round_s: number): Promise<void> {
  const rates: number[] = [];
  for (let asked = 0; asked < clients; ) {
    const { value } = await subject.measure();
    rates.push(Math.round(value));
    asked += value * round_s;
  }
  console.log(
    `${subject.name}, first authentication of each: ${rates.join(', ')} a second in turns of ${round_s} s`,
  );
}
