import { doneEvent, record } from '../clients/audit-trail.ts';
import { deleteClient } from '../clients/manage-client.ts';
import { entityOf, isAutomatic, isFederated } from '../clients/registered-client.ts';
import type { StoredClient } from '../ports/client-store.ts';
import { NotFound } from '../spec/errors.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { printClient } from './client-display.ts';
import { command, type Surroundings } from './command.ts';
import type { RegistrySession } from './registry-session.ts';
import { auditedAct, BESIDE_SERVERS, READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';
import { table, timeText } from './table.ts';

const PAGE = 100;
const HEADS = ['ENTITY', 'REGISTRATION', 'TRUST ANCHOR', 'EXPIRES', 'RESOLVED', 'TRUST MARKS'];

const ENTITY = { entity: { words: 'Names the entity by its entity identifier, a URL.' } } as const;

const members = command({
  words: ['federation', 'members'],
  summary: 'List the clients that a federation vouches for',
  description: [
    'The command lists the clients of explicit and of automatic registration (OpenID Federation 1.0 §12), with the trust anchor and the end of each registration. The audit records the listing.',
  ],
  servers: READS_BESIDE_SERVERS,
  options: {
    anchor: { kind: 'text', value: 'ENTITY', words: 'Selects the clients that this trust anchor leads to.' },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: 'A table with one line for each client. With --json, one JSON object per line.',
  examples: [
    'chancery federation members',
    'chancery federation members --anchor https://anchor.example.org --json',
  ],
  run: async (call) => {
    const { json, anchor } = call.options;
    await withRegistry(call, { create: false }, async (session) => {
      const { needs } = session;
      await auditedAct(session, 'client.list', async (trail) => {
        record(needs, doneEvent(needs, trail));
        const print = json ? jsonPrinter(call) : tablePrinter(call);
        for await (const page of pages(session)) {
          const found = page.filter(isFederated).map(memberOf);
          print(found.filter(({ trust_anchor }) => anchor === undefined || trust_anchor === anchor));
        }
      });
    });
  },
});

async function* pages({ needs }: RegistrySession): AsyncGenerator<readonly StoredClient[]> {
  let after: ClientId | undefined;
  while (true) {
    const page: readonly StoredClient[] = await needs.clients.page(after, PAGE);
    yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.client_id;
  }
}

interface Member {
  readonly entity_id: string;
  readonly client_id: string;
  readonly registration: 'explicit' | 'automatic';
  readonly trust_anchor: string;
  readonly expires_at: number | null;
}

function memberOf(client: StoredClient): Member {
  return {
    entity_id: entityOf(client),
    client_id: client.client_id,
    registration: isAutomatic(client) ? 'automatic' : 'explicit',
    trust_anchor: client.registered_via.slice('federation:'.length),
    expires_at: client.expires_at,
  };
}

function jsonPrinter({ print }: Surroundings): (rows: readonly Member[]) => void {
  return (rows) => {
    for (const row of rows) print(JSON.stringify(row));
  };
}

function tablePrinter({ print }: Surroundings): (rows: readonly Member[]) => void {
  const lines = table(print, HEADS);
  return (rows) =>
    lines.print(
      rows.map(({ entity_id, registration, trust_anchor, expires_at }) => [
        entity_id,
        registration,
        trust_anchor,
        timeText(expires_at, 'never'),
      ]),
    );
}

const show = command({
  words: ['federation', 'show'],
  summary: 'Show the clients of one entity',
  description: [
    'An entity has at most two clients: one that it registered explicitly, and one that its requests register automatically. The command shows each with its trust chain and its metadata. `chancery federation resolve` searches for the trust chain as it is now.',
  ],
  servers: READS_BESIDE_SERVERS,
  operands: ENTITY,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output:
    'One client with its metadata, one line for each member; two clients have an empty line between them. With --json, one JSON object per line.',
  examples: ['chancery federation show https://rp.example.org'],
  run: async (call) => {
    const { entity } = call.operands;
    const { json } = call.options;
    await withRegistry(call, { create: false }, async (session) => {
      const { needs } = session;
      for (const [index, client] of (await clientsOf(session, entity)).entries()) {
        if (index > 0 && !json) call.print('');
        await auditedAct(session, 'client.read', async (trail) => {
          trail.client_id = client.client_id;
          await printClient(needs, client, { json, secrets: false }, call);
          record(needs, doneEvent(needs, trail, 'without secrets'));
        });
      }
    });
  },
});

/** Returns the clients of an entity. Rejects with NotFound if it has none. */
async function clientsOf(
  { needs: { clients } }: RegistrySession,
  entity: string,
): Promise<readonly StoredClient[]> {
  const found = [await clients.findOfEntity(entity), await clients.find(entity as ClientId)];
  const federated = found.filter((client) => client !== undefined).filter(isFederated);
  if (federated.length > 0) return federated;
  throw new NotFound(`there is no client of the entity ${JSON.stringify(entity)}`);
}

const remove = command({
  words: ['federation', 'remove'],
  summary: 'Delete the clients of one entity and end their tokens',
  description: [
    'All tokens of the clients become invalid. This cannot be undone.',
    'While its federation vouches for the entity, it can register again, and its next request registers an automatic client. To keep an entity out, its superior must withdraw its statement; `federation.required-trust-marks` limits the federation to entities with a trust mark.',
  ],
  servers: BESIDE_SERVERS,
  operands: ENTITY,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'One line for each client. With --json, one JSON object per line.',
  examples: ['chancery federation remove https://rp.example.org'],
  run: async (call) => {
    const { entity: entity_id } = call.operands;
    await withRegistry(call, { create: false }, async (session) => {
      for (const { client_id } of await clientsOf(session, entity_id)) {
        await auditedAct(session, 'client.delete', async (trail) => {
          trail.client_id = client_id;
          const authenticate = async () =>
            ({ kind: 'master', client: await current(session, client_id) }) as const;
          await deleteClient(session.needs, authenticate, trail);
        });
        const told = { entity_id, client_id, deleted: true };
        call.print(call.options.json ? JSON.stringify(told) : `deleted ${client_id}`);
      }
    });
  },
});

async function current({ needs }: RegistrySession, client_id: ClientId): Promise<StoredClient> {
  const client = await needs.clients.find(client_id);
  if (client === undefined) throw new NotFound('the client is no longer registered');
  return client;
}

export const MEMBER_COMMANDS = [members, show, remove];
