import { doneEvent, record } from '../clients/audit-trail.ts';
import {
  differencesOf,
  type VersionLine,
  versionBefore,
  versionOf,
  versionsOf,
} from '../clients/history/client-versions.ts';
import { endOfGrace, restoreDeleted } from '../clients/history/restore-deleted.ts';
import { type Restorer, restoreVersion } from '../clients/history/restore-version.ts';
import { metadataOf } from '../clients/registered-client.ts';
import type { FormerVersion } from '../ports/client-history.ts';
import type { StoredClient } from '../ports/client-store.ts';
import type { ClientId } from '../spec/identifiers.ts';
import type { JsonChange } from '../spec/json-changes.ts';
import { clientNamed, printClient } from './client-display.ts';
import { type Command, command, type Surroundings } from './command.ts';
import { calledWrongly } from './failure.ts';
import type { RegistrySession } from './registry-session.ts';
import { auditedAct, BESIDE_SERVERS, READS_BESIDE_SERVERS, REASON_OPTION, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';
import { table, timeText } from './table.ts';

const CLIENT = { id: { words: 'Names the client by its client_id.' } } as const;

/** Versions that one read fetches. */
const PAGE = 100;

const versions = command({
  words: ['clients', 'versions'],
  summary: 'List the versions of a client, with who made each one and why',
  description: [
    'Each change of a client keeps the version before it: at most `history.versions-per-client` of them, for `history.lifetime`. The first line is the present version. `chancery clients diff` compares two of them, and `chancery clients restore` brings one back.',
  ],
  servers: READS_BESIDE_SERVERS,
  operands: CLIENT,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output:
    'A table with one line for each version, the present one first. With --json, one JSON object per line: `version`, `is_current`, and `made` with the time, the action, the actor, the request and the reason, or null if that is not kept.',
  examples: ['chancery clients versions demo'],
  run: async (call) => {
    await withRegistry(call, { create: false }, async (session) => {
      const client = await clientNamed(session, call.operands.id);
      const { print, options } = call;
      const shown = table(print, ['VERSION', 'MADE', 'ACTION', 'ACTOR', 'REASON']);
      let before: number | undefined;
      do {
        const page = await versionsOf(session.needs, client, before, PAGE);
        if (options.json) for (const line of page.versions) print(JSON.stringify(line));
        else shown.print(page.versions.map(cells));
        before = page.next;
      } while (before !== undefined);
    });
  },
});

const cells = ({ version, is_current, made }: VersionLine): readonly string[] => [
  `${version}${is_current ? ' (now)' : ''}`,
  made === null ? 'not on record' : timeText(made.at, '-'),
  made?.action ?? '',
  made?.actor ?? '',
  made?.reason ?? '',
];

const diff = command({
  words: ['clients', 'diff'],
  summary: 'Show what differs between two versions of a client',
  description: [
    'Without versions, the command compares the version before the present one with it. With one version, it compares that with the present one.',
    'Each line has a JSON pointer (RFC 6901): `+` for what the second version has more, `-` for what it lacks, `~` for what it has otherwise. Secrets and tokens show by the names that `clients secrets` prints, never by their value. On a terminal the lines are coloured, unless NO_COLOR is set.',
  ],
  servers: READS_BESIDE_SERVERS,
  operands: {
    ...CLIENT,
    from: { optional: true, words: 'Names the first version by its number.' },
    to: { optional: true, words: 'Names the second version by its number.' },
  },
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output:
    'One line for each difference. With --json, one JSON object with `from`, `to` and `changes`: `path`, `before`, `after`.',
  examples: ['chancery clients diff demo', 'chancery clients diff demo 3 5 --json'],
  run: async (call) => {
    const { id, from, to } = call.operands;
    await withRegistry(call, { create: false }, async (session) => {
      await auditedAct(session, 'client.read', async (trail) => {
        const { needs } = session;
        const client = await clientNamed(session, id);
        trail.client_id = client.client_id;
        const second = await versionOf(needs, client, to === undefined ? client.version : numbered(to, 'TO'));
        const first =
          from === undefined
            ? await versionBefore(needs, client, second.version)
            : await versionOf(needs, client, numbered(from, 'FROM'));
        record(needs, doneEvent(needs, trail, `versions ${first.version} and ${second.version}`));
        const changes = differencesOf(first, second);
        if (call.options.json)
          call.print(JSON.stringify({ from: first.version, to: second.version, changes }));
        else printChanges(call, changes);
      });
    });
  },
});

function numbered(text: string, name: string): number {
  if (/^[1-9]\d{0,8}$/u.test(text)) return Number(text);
  throw calledWrongly(`${name} must be the number of a version, as \`clients versions\` prints it`);
}

function printChanges({ print, printColoured = print }: Surroundings, changes: readonly JsonChange[]): void {
  if (changes.length === 0) print('the versions do not differ');
  for (const { path, before, after } of changes) {
    if (before === undefined) printColoured(`+ ${path}: ${JSON.stringify(after)}`, '+');
    else if (after === undefined) printColoured(`- ${path}: ${JSON.stringify(before)}`, '-');
    else printColoured(`~ ${path}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`, '~');
  }
}

const restore = command({
  words: ['clients', 'restore'],
  summary: 'Bring back a former version of a client, or a deleted client',
  description: [
    'For a client that is registered, the command restores its metadata as of --version, or as of the version before the present one. The version is checked like a change: a value that is no longer allowed is refused by name. The outcome is a new version, so that `restore` undoes itself as well.',
    'For a deleted client, the command registers it again with its client_id, its last metadata and its history. Its tokens, grants and consents stay ended, and it gets a new registration access token. This works within `history.deleted-lifetime`.',
    'Secrets stay as they are, and a deleted client gets a new one: a client may have been changed or deleted because its secret leaked. With --with-secrets the secrets of the version come back, unless they have expired.',
  ],
  servers: BESIDE_SERVERS,
  operands: CLIENT,
  options: {
    version: {
      kind: 'count',
      words: 'Names the version by its number. Without it, the one before the present version counts.',
    },
    'with-secrets': { kind: 'flag', words: 'Also restores the secrets of the version.' },
    secrets: { kind: 'flag', words: 'Shows the secret and the registration access token in clear.' },
    ...REGISTRY_OPTIONS,
    ...REASON_OPTION,
  },
  environment: SETTINGS_VARIABLES,
  output:
    'The client as `clients show` prints it. A deleted client that comes back is shown with its secrets.',
  examples: [
    'chancery clients restore demo',
    'chancery clients restore demo --version 3 --reason "the new redirect was wrong"',
  ],
  run: async (call) => {
    const { id } = call.operands;
    const { json, secrets, reason, version, 'with-secrets': withSecrets } = call.options;
    await withRegistry(call, { create: false }, async (session) => {
      const { needs } = session;
      const restorer: Restorer = { adminScope: 'any', remoteAddress: undefined, withSecrets };
      const isLive = (await needs.clients.find(id as ClientId)) !== undefined;
      if (!isLive && version !== undefined)
        throw calledWrongly(
          '--version names a version of a registered client; restore a deleted client first',
        );
      const act = async (trail: Parameters<Parameters<typeof auditedAct>[2]>[0]): Promise<StoredClient> => {
        trail.client_id = id;
        if (!isLive) return await restoreDeleted(needs, id, restorer, trail);
        const choose = async (client: StoredClient): Promise<StoredClient | FormerVersion> =>
          version === undefined
            ? await versionBefore(needs, client)
            : await versionOf(needs, client, version);
        return await restoreVersion(
          needs,
          async () => await clientNamed(session, id),
          choose,
          restorer,
          trail,
        );
      };
      const client = await auditedAct(session, 'client.restore', act, reason);
      await printClient(needs, client, { json, secrets: secrets || !isLive }, call);
    });
  },
});

const HEADS = ['CLIENT ID', 'NAME', 'DELETED', 'UNTIL', 'ACTOR', 'REASON'];

const deleted = command({
  words: ['clients', 'deleted'],
  summary: 'List the deleted clients that can be restored',
  description: [
    'The list begins with the latest deletion. Clients that the server ended, such as idle and expired ones, are not kept, nor those that a stranger registered and deleted.',
  ],
  servers: READS_BESIDE_SERVERS,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output:
    'A table with one line for each client, and the end of its grace period. With --json, one JSON object per line.',
  examples: ['chancery clients deleted'],
  run: async (call) => {
    await withRegistry(call, { create: false }, async (session) => {
      const { print, options } = call;
      const shown = table(print, HEADS);
      for await (const page of deletedPages(session)) {
        if (options.json) for (const client of page) print(JSON.stringify(deletedMembers(session, client)));
        else shown.print(page.map((client) => deletedCells(session, client)));
      }
    });
  },
});

async function* deletedPages({ needs }: RegistrySession): AsyncGenerator<readonly FormerVersion[]> {
  let after: { client_id: ClientId; deleted_at: number } | undefined;
  while (true) {
    const page: readonly FormerVersion[] = await needs.clientHistory.deletedPage(after, PAGE);
    yield page.filter((client) => needs.clock.now() < endOfGrace(needs, client));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = { client_id: last.client_id, deleted_at: last.deleted_at ?? 0 };
  }
}

function deletedMembers({ needs }: RegistrySession, client: FormerVersion): object {
  const { client_id, deleted_at, actor, reason, registered_via } = client;
  const { client_name = null } = metadataOf(client);
  return {
    client_id,
    client_name,
    deleted_at,
    restorable_until: endOfGrace(needs, client),
    actor,
    reason,
    registered_via,
  };
}

function deletedCells({ needs }: RegistrySession, client: FormerVersion): readonly string[] {
  const { client_name } = metadataOf(client);
  return [
    client.client_id,
    typeof client_name === 'string' ? client_name : '',
    timeText(client.deleted_at, '-'),
    timeText(endOfGrace(needs, client), '-'),
    client.actor,
    client.reason ?? '',
  ];
}

export const HISTORY_COMMANDS: readonly Command[] = [versions, diff, restore, deleted];
