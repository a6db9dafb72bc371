import { doneEvent, record } from '../clients/audit-trail.ts';
import { purgeDeleted } from '../clients/history/restore-deleted.ts';
import { deleteClient, updateClient } from '../clients/manage-client.ts';
import { dryRun } from '../clients/registration/dry-run.ts';
import { registerClient } from '../clients/registration/register-client.ts';
import type { ClientManager, Registrant } from '../clients/registration/registration-authority.ts';
import { applySoftwareStatement } from '../clients/registration/software-statement.ts';
import { pruneIdleClients } from '../clients/upkeep/prune-clients.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { parseJsonObject } from '../spec/json.ts';
import { OPERATOR_PRIVILEGES } from '../spec/registration-privileges.ts';
import { clientNamed, printClient } from './client-display.ts';
import { EXCHANGE_COMMANDS } from './client-exchange.ts';
import { fapiReportCommand } from './client-fapi-report.ts';
import { HISTORY_COMMANDS } from './client-history.ts';
import { listClients } from './client-list.ts';
import { hasMembers, MEMBER_OPTIONS, metadataOfOptions } from './client-members.ts';
import { SECRET_COMMANDS } from './client-secrets.ts';
import { type Command, command } from './command.ts';
import { CommandFailure, calledWrongly } from './failure.ts';
import { readInput } from './input.ts';
import type { RegistrySession } from './registry-session.ts';
import {
  ACTOR,
  auditedAct,
  BESIDE_SERVERS,
  READS_BESIDE_SERVERS,
  REASON_OPTION,
  withRegistry,
} from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';

const CLIENT = { id: { words: 'Names the client by its client_id.' } } as const;

const FILE_WORDS =
  'Names the file with the client metadata as one JSON object (RFC 7591 §2); `-` reads standard input.';

const SECRETS_OPTION = {
  secrets: { kind: 'flag', words: 'Shows the secret and the registration access token in clear.' },
} as const;

const ONE_CLIENT =
  'One client with its metadata, its origin and the time of its last use. With --json, the client information response (RFC 7591 §3.2.1) with the members `registered_via` and `last_used_at` added.';

const show = command({
  words: ['clients', 'show'],
  summary: 'Show one client',
  description: [
    'The command shows the registered metadata. With --secrets it also decrypts and prints the secret and the registration access token; the audit records this. Unlike GET /clients/{id}, the command does not renew an expired secret.',
  ],
  servers: READS_BESIDE_SERVERS,
  operands: CLIENT,
  options: { ...SECRETS_OPTION, ...REGISTRY_OPTIONS },
  environment: SETTINGS_VARIABLES,
  output: ONE_CLIENT,
  examples: ['chancery clients show demo', 'chancery clients show demo --secrets --json'],
  run: async (call) => {
    const { id } = call.operands;
    const { json, secrets } = call.options;
    await withRegistry(call, { create: false }, async (session) => {
      const { needs } = session;
      await auditedAct(session, 'client.read', async (trail) => {
        trail.client_id = id;
        const client = await clientNamed(session, id);
        await printClient(needs, client, { json, secrets }, call);
        record(needs, doneEvent(needs, trail, secrets ? 'with secrets' : 'without secrets'));
      });
    });
  },
});

const REGISTRANT: Registrant = { kind: 'master', name: ACTOR, privileges: OPERATOR_PRIVILEGES };

const create = command({
  words: ['clients', 'create'],
  summary: 'Register a client from a JSON file, or from options',
  description: [
    'The command takes the JSON that POST /clients takes, checks it in the same way, and has the privileges of the master token: it may choose the client_id (`preferred_client_id`) and the secret (`preferred_client_secret`).',
    'With --name there is no file: the options name the usual members. Without --grant-type, the client has `authorization_code` if it has a redirection URI, and `client_credentials` otherwise.',
    'The secret and the registration access token are printed in clear. An absent SQLite database is created.',
  ],
  servers: BESIDE_SERVERS,
  operands: { file: { words: FILE_WORDS, unless: 'name' } },
  options: {
    ...MEMBER_OPTIONS,
    'dry-run': {
      kind: 'flag',
      short: 'n',
      words: 'Prints the metadata that would be registered, with warnings, and registers nothing.',
    },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: `${ONE_CLIENT} With --dry-run, always one JSON object.`,
  examples: [
    'chancery clients create client.json',
    'chancery clients create --name Shop --redirect-uri https://shop.example/cb --scope "openid email"',
    'chancery clients create --name Nightly --scope "notes:read" --auth-method private_key_jwt --dry-run',
    'echo \'{"grant_types":["client_credentials"]}\' | chancery clients create - --json',
  ],
  run: async (call) => {
    const { file } = call.operands;
    if (file !== undefined && hasMembers(call.options))
      throw calledWrongly('FILE takes the whole registration: give the members there, or --name and no FILE');
    await withRegistry(call, { create: true }, async (session) => {
      const { needs, settings } = session;
      const body =
        file === undefined ? metadataOfOptions(call.options) : await readInput(file, settings['limits.body']);
      await auditedAct(session, 'client.create', async (trail) => {
        const sent = parseJsonObject(body, needs.json);
        const { request } = await applySoftwareStatement(needs, sent);
        if (call.options['dry-run']) {
          call.print(await dryRun(needs, REGISTRANT, request, trail));
          return;
        }
        const client = await registerClient(needs, REGISTRANT, request, trail);
        await printClient(needs, client, { json: call.options.json, secrets: true }, call);
      });
    });
  },
});

const update = command({
  words: ['clients', 'update'],
  summary: 'Replace the registration of a client from a JSON file',
  description: [
    'The command takes the JSON that PUT /clients/{id} takes (RFC 7592 §2.2) and checks it in the same way. Members that are absent from the file are removed from the registration.',
    'The client gets a new registration access token and, if it has a secret, a new secret. The old token stops working at once, the old secret after `registration.previous-secret-grace`. To change the secret only, use `chancery clients rotate-secret`.',
  ],
  servers: BESIDE_SERVERS,
  operands: { ...CLIENT, file: { words: FILE_WORDS } },
  options: { ...SECRETS_OPTION, ...REGISTRY_OPTIONS, ...REASON_OPTION },
  environment: SETTINGS_VARIABLES,
  output: ONE_CLIENT,
  examples: ['chancery clients update demo client.json --secrets'],
  run: async (call) => {
    const { id, file } = call.operands;
    const { json, secrets, reason } = call.options;
    await withRegistry(call, { create: false }, async (session) => {
      const { needs, settings } = session;
      const body = await readInput(file, settings['limits.body']);
      const authenticate = managing(session, id);
      await auditedAct(
        session,
        'client.update',
        async (trail) => {
          trail.client_id = id;
          await authenticate();
          const stated = await applySoftwareStatement(needs, parseJsonObject(body, needs.json));
          const client = await updateClient(needs, authenticate, stated, trail);
          await printClient(needs, client, { json, secrets }, call);
        },
        reason,
      );
    });
  },
});

const remove = command({
  words: ['clients', 'delete'],
  summary: 'Delete a client and end its tokens',
  description: [
    'All tokens of the client become invalid, with its secrets and its registration access token.',
    '`chancery clients restore` brings the client back within `history.deleted-lifetime`, without its tokens. With --purge nothing brings it back: its former versions go too, also those of a client that is deleted already. Use it where the registration holds personal data that must go. Backups keep what they have.',
  ],
  servers: BESIDE_SERVERS,
  operands: CLIENT,
  options: {
    purge: { kind: 'flag', words: 'Deletes the client for good, with its former versions.' },
    ...REGISTRY_OPTIONS,
    ...REASON_OPTION,
  },
  environment: SETTINGS_VARIABLES,
  output: 'One line. With --json, one JSON object.',
  examples: [
    'chancery clients delete demo',
    'chancery clients delete demo --purge --reason "erasure 2026-17"',
  ],
  run: async (call) => {
    const { id: client_id } = call.operands;
    const { purge, reason, json } = call.options;
    await withRegistry(call, { create: false }, async (session) => {
      const isLive = !purge || (await session.needs.clients.find(client_id as ClientId)) !== undefined;
      await auditedAct(
        session,
        isLive ? 'client.delete' : 'client.purge',
        async (trail) => {
          trail.client_id = client_id;
          if (isLive) await deleteClient(session.needs, managing(session, client_id), trail, { purge });
          else await purgeDeleted(session.needs, client_id, trail);
        },
        reason,
      );
      const done = purge ? 'purged' : 'deleted';
      call.print(json ? JSON.stringify({ client_id, [done]: true }) : `${done} ${client_id}`);
    });
  },
});

/** A caller that can open the database may manage every client, as the holder of the master token may. */
function managing(session: RegistrySession, client_id: string): () => Promise<ClientManager> {
  return async () => ({ kind: 'master', client: await clientNamed(session, client_id), adminScope: 'any' });
}

const refresh = command({
  words: ['clients', 'refresh'],
  summary: 'Fetch the metadata document of a client now',
  description: [
    'The client_id must be the URL of a Client ID Metadata Document (`registration.client-id-metadata-documents`), and an end-user must have consented to the client. Servers fetch the document themselves when it is no longer fresh.',
    'If the document cannot be fetched or breaks a rule, the command says why and leaves the client as it is. To remove the client, use `chancery clients delete`; to keep it out, list its host in `client-document.denied-hosts`.',
  ],
  servers: BESIDE_SERVERS,
  operands: CLIENT,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output:
    'One line with the members that changed. With --json, one JSON object with `client_id` and `changed`.',
  examples: ['chancery clients refresh https://client.example/oauth/metadata.json'],
  run: async (call) => {
    const { id: client_id } = call.operands;
    await withRegistry(call, { create: false }, async (session) => {
      const client = await clientNamed(session, client_id);
      const { changed } = await session.tenant.documents.refresh(client);
      const words = changed.length === 0 ? 'unchanged' : `changed: ${changed.join(' ')}`;
      call.print(call.options.json ? JSON.stringify({ client_id, changed }) : words);
    });
  },
});

const prune = command({
  words: ['clients', 'prune'],
  summary: 'Delete unused clients that were registered without a token or by a document',
  description: [
    'The command deletes clients from open registration, and clients whose client_id is the URL of their metadata, that were neither registered nor used during the time of --idle. It never deletes a client that may have live tokens: the time is at least `access-token.lifetime-max` plus one hour. Deleting cannot be undone; try --dry-run first.',
    'Servers do the same from time to time if `registration.idle-client-lifetime` is set.',
  ],
  servers: BESIDE_SERVERS,
  options: {
    idle: {
      kind: 'seconds',
      words:
        'Sets after how much time without use a client is deleted. Without it, `registration.idle-client-lifetime` counts.',
    },
    'dry-run': {
      kind: 'flag',
      short: 'n',
      words: 'Prints the clients that would be deleted, and deletes nothing.',
    },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: 'The client_ids, one per line, then their number. With --json, one JSON object per line.',
  examples: ['chancery clients prune --idle 90d --dry-run'],
  run: async (call) => {
    const { json, idle, 'dry-run': isDryRun } = call.options;
    await withRegistry(call, { create: false }, async ({ needs, settings, clockDoubt, request_id }) => {
      const idleSeconds = idle ?? settings['registration.idle-client-lifetime'];
      if (idleSeconds === 0)
        throw calledWrongly(
          '--idle must be a number of seconds: registration.idle-client-lifetime is not set',
        );
      const doubt = isDryRun ? undefined : await clockDoubt();
      if (doubt !== undefined) throw new CommandFailure(doubt);
      const tokenLifetimeMax = settings['access-token.lifetime-max'];
      const options = { idleSeconds, tokenLifetimeMax, dryRun: isDryRun, actor: ACTOR, request_id };
      const pruned = await pruneIdleClients(needs, options);
      for (const client_id of pruned) call.print(json ? JSON.stringify({ client_id }) : client_id);
      if (!json) call.print(`${pruned.length} idle clients ${isDryRun ? 'would be deleted' : 'deleted'}`);
    });
  },
});

export const CLIENT_COMMANDS: readonly Command[] = [
  listClients,
  fapiReportCommand,
  show,
  create,
  update,
  remove,
  ...HISTORY_COMMANDS,
  refresh,
  ...SECRET_COMMANDS,
  prune,
  ...EXCHANGE_COMMANDS,
];
