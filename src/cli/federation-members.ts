import { doneEvent, record } from '../clients/audit-trail.ts';
import {
  type ClientFederation,
  clientFederation,
  entityOf,
  federatedClientsOf,
} from '../clients/federated-client.ts';
import { deleteClient } from '../clients/manage-client.ts';
import type { RefreshOutcome } from '../federation/registration/federated-clients.ts';
import type { StoredClient } from '../ports/client-store.ts';
import { NotFound } from '../spec/errors.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { printClient } from './client-display.ts';
import { command, type Surroundings } from './command.ts';
import { CommandFailure } from './failure.ts';
import type { RegistrySession } from './registry-session.ts';
import { auditedAct, BESIDE_SERVERS, READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';
import { table, timeText } from './table.ts';

const PAGE = 100;
const HEADS = ['ENTITY', 'REGISTRATION', 'TRUST ANCHOR', 'EXPIRES', 'RESOLVED', 'LAST RENEWAL'];

const ENTITY = { entity: { words: 'Names the entity by its entity identifier, a URL.' } } as const;

const members = command({
  words: ['federation', 'members'],
  summary: 'List the clients that a federation vouches for',
  description: [
    'The command lists the clients of explicit and of automatic registration (OpenID Federation 1.0 §12), with the trust anchor, the end of each registration and the last attempt to renew it. A registration that has expired is listed until the sweep deletes it: the next request of its client renews it. The audit records the listing.',
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
          const found = page.flatMap((client) => memberOf(client) ?? []);
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

interface Member extends ClientFederation {
  readonly client_id: string;
}

/** @returns undefined for a client without a federation */
function memberOf(client: StoredClient): Member | undefined {
  const federation = clientFederation(client);
  return federation === undefined ? undefined : { client_id: client.client_id, ...federation };
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
      rows.map(({ entity_id, registration, trust_anchor, expires_at, resolved_at, failure }) => [
        entity_id,
        registration,
        trust_anchor,
        timeText(expires_at, 'never'),
        timeText(resolved_at, '-'),
        failure === undefined ? 'done' : failure.reason,
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

/** Returns the clients of an entity, expired or not. Rejects with NotFound if it has none. */
async function clientsOf(
  { needs: { clients }, tenant: { federated } }: RegistrySession,
  entity: string,
): Promise<readonly StoredClient[]> {
  const found = await federatedClientsOf(federated?.kept ?? clients, entity);
  if (found.length > 0) return found;
  throw noClientOf(entity);
}

const noClientOf = (entity: string): NotFound =>
  new NotFound(`there is no client of the entity ${JSON.stringify(entity)}`);

const refresh = command({
  words: ['federation', 'refresh'],
  summary: 'Resolve the trust in one entity again and renew its clients',
  description: [
    'The command fetches the entity statements now and renews the registration of each client of the entity, expired or not. Servers do this themselves before a registration expires, and when its client appears after that.',
    'If the entity is not trusted any more, the command says why for each client, and leaves the client as it is. `chancery federation resolve` shows the whole search.',
  ],
  servers: BESIDE_SERVERS,
  operands: ENTITY,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output:
    'One line for each client, with the end of its registration and the members that changed. With --json, one JSON object per line.',
  exits: { 1: 'A client could not be renewed, or the command failed. The other clients are renewed.' },
  examples: ['chancery federation refresh https://rp.example.org'],
  run: async (call) => {
    const { entity } = call.operands;
    return await withRegistry(call, { create: false }, async (session) => {
      const { federated } = session.tenant;
      if (federated === undefined)
        throw new CommandFailure('federation.enabled is false: this server resolves no trust');
      const outcomes = await federated.refreshEntity(entity);
      if (outcomes.length === 0) throw noClientOf(entity);
      for (const outcome of outcomes) showRefresh(outcome, call);
      return outcomes.some((outcome) => 'failure' in outcome) ? 1 : 0;
    });
  },
});

function showRefresh(
  outcome: RefreshOutcome,
  { options: { json }, print, complain }: Surroundings & { readonly options: { readonly json: boolean } },
): void {
  if ('failure' in outcome) {
    const { client, failure } = outcome;
    const words = failure.error_description;
    if (json) print(JSON.stringify({ ...memberOf(client), error: failure.code, error_description: words }));
    complain(`${client.client_id} cannot be renewed: ${words}`);
    return;
  }
  const { renewed, changed } = outcome;
  const { client_id, expires_at } = renewed;
  const words = `${client_id} expires ${timeText(expires_at, 'never')}; ${changed.length === 0 ? 'unchanged' : `changed: ${changed.join(' ')}`}`;
  print(json ? JSON.stringify({ ...memberOf(renewed), changed }) : words);
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
      for (const client of await clientsOf(session, entity_id)) {
        const { client_id } = client;
        await auditedAct(session, 'client.delete', async (trail) => {
          trail.client_id = client_id;
          const authenticate = async () =>
            ({ kind: 'master', client: await current(session, client) }) as const;
          await deleteClient(session.needs, authenticate, trail);
        });
        const told = { entity_id, client_id, deleted: true };
        call.print(call.options.json ? JSON.stringify(told) : `deleted ${client_id}`);
      }
    });
  },
});

/** Reads a client again. Rejects with NotFound if it is gone. */
async function current(
  session: RegistrySession,
  { client_id, ...client }: StoredClient,
): Promise<StoredClient> {
  const found = await clientsOf(session, entityOf({ client_id, ...client }));
  const same = found.find((one) => one.client_id === client_id);
  if (same === undefined) throw new NotFound('the client is no longer registered');
  return same;
}

export const MEMBER_COMMANDS = [members, show, refresh, remove];
