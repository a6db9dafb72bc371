import { randomInt, randomUUID } from 'node:crypto';
import type { Program } from '../program/start.ts';
import type { Ledger, Registration } from './ledger.ts';
import { type Answer, introspect, perform } from './registry-calls.ts';

export interface Traffic {
  /** Resolves when every worker has lost its server. */
  readonly over: Promise<void>;
  /** Introspections that were answered, and those answered wrongly. */
  readonly introspections: { right: number; readonly wrong: string[] };
}

/** Each worker has clients of its own, so that the order of what happens to one is known. */
interface Worker {
  readonly program: Program;
  readonly ledger: Ledger;
  readonly clients: { registration: Registration; accessToken: string | undefined }[];
  readonly introspections: Traffic['introspections'];
}

/** Registers, updates, deletes and introspects until the server is killed. `over` rejects if it fails before that. */
export function startTraffic(
  program: Program,
  ledger: Ledger,
  workers: number,
  adopted: readonly Registration[],
  killed: () => boolean,
): Traffic {
  const introspections: Traffic['introspections'] = { right: 0, wrong: [] };
  const loops = Array.from({ length: workers }, async (_, index) => {
    const clients = adopted
      .filter((_client, position) => position % workers === index)
      .map((registration) => ({ registration, accessToken: undefined }));
    await workUntilCut({ program, ledger, clients, introspections }, killed);
  });
  return { over: Promise.all(loops).then(() => undefined), introspections };
}

async function workUntilCut(worker: Worker, killed: () => boolean): Promise<void> {
  try {
    while (true) await step(worker);
  } catch (failure) {
    // What fetch throws where the connection was refused, reset, or cut within an answer.
    if (!killed() || !(failure instanceof TypeError)) throw failure;
  }
}

async function step(worker: Worker): Promise<void> {
  const dice = randomInt(100);
  if (worker.clients.length === 0 || dice < 20) await registerAsMaster(worker);
  else if (dice < 40) await registerInvited(worker);
  else if (dice < 60) await update(worker);
  else if (dice < 72) await remove(worker);
  else if (dice < 84) await getAccessToken(worker);
  else await introspectOne(worker);
}

function keep(worker: Worker, { status, body }: Answer): void {
  if (status === 200) worker.clients.push({ registration: body as Registration, accessToken: undefined });
}

async function registerAsMaster(worker: Worker): Promise<void> {
  keep(worker, await perform(worker.program, worker.ledger, { kind: 'create', mark: randomUUID() }));
}

/** Two requests race for one initial access token, so that a kill can fall between them. */
async function registerInvited(worker: Worker): Promise<void> {
  const { program, ledger } = worker;
  const invited = await perform(program, ledger, { kind: 'invite' });
  const { access_token: initialAccessToken } = invited.body as { access_token: string };
  const race = [randomUUID(), randomUUID()].map(
    async (mark) => await perform(program, ledger, { kind: 'create', mark, initialAccessToken }),
  );
  const outcomes = await Promise.allSettled(race);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw outcome.reason;
    keep(worker, outcome.value);
  }
}

async function update({ program, ledger, clients }: Worker): Promise<void> {
  const client = clients[randomInt(clients.length)];
  if (client === undefined) return;
  const { registration } = client;
  const operation = { kind: 'update', mark: randomUUID(), client_id: registration.client_id } as const;
  const { status, body } = await perform(program, ledger, operation, registration, randomInt(2) === 0);
  if (status === 200) client.registration = body as Registration;
}

async function remove({ program, ledger, clients }: Worker): Promise<void> {
  const [client] = clients.splice(randomInt(clients.length), 1);
  if (client === undefined) return;
  const operation = { kind: 'delete', client_id: client.registration.client_id } as const;
  await perform(program, ledger, operation, client.registration, randomInt(2) === 0);
}

async function getAccessToken({ program, ledger, clients }: Worker): Promise<void> {
  const client = clients[randomInt(clients.length)];
  if (client === undefined) return;
  const operation = { kind: 'access-token', client_id: client.registration.client_id } as const;
  const { status, body } = await perform(program, ledger, operation, client.registration);
  if (status === 200) client.accessToken = (body as { access_token: string }).access_token;
}

async function introspectOne({ program, clients, introspections }: Worker): Promise<void> {
  const client = clients[randomInt(clients.length)];
  if (client === undefined) return;
  const { status, body } = await introspect(program, client.registration, client.accessToken ?? 'junk');
  const { active } = (body ?? {}) as { active?: boolean };
  if (status === 200 && active === (client.accessToken !== undefined)) introspections.right += 1;
  else introspections.wrong.push(`${status} ${JSON.stringify(body)}`);
}
