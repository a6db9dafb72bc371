import { type ImportedKey, importServerKeys } from '../keys/import-server-keys.ts';
import { type ListedKey, listServerKeys } from '../keys/list-server-keys.ts';
import { type Rotated, rotateServerKeys } from '../keys/rotate-server-keys.ts';
import { ServerJwkSetRefused } from '../keys/server-jwk-set.ts';
import { revokeServerKey } from '../keys/server-key-life.ts';
import type { RemovedServerKey } from '../ports/server-key-store.ts';
import { type Command, command } from './command.ts';
import { ENCRYPTION_KEY_COMMANDS } from './encryption-keys.ts';
import { CommandFailure } from './failure.ts';
import { readInput } from './input.ts';
import type { RegistrySession } from './registry-session.ts';
import { ACTOR, BESIDE_SERVERS, READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';
import { table, timeText } from './table.ts';

const LIST_HEADS = ['KID', 'USE', 'KIND', 'STATE', 'ACTIVE FROM', 'RETIRED FROM', 'REMOVED FROM'];
const HISTORY_HEADS = ['KID', 'USE', 'ACTIVE FROM', 'REMOVED', 'REASON'];

const list = command({
  words: ['keys', 'list'],
  summary: 'List the server keys with their states and times',
  description: [
    'Server keys sign tokens, decrypt what clients encrypt, and sign for a federation. A key is announced, active or retired. Keys from the setting `keys.jwk-set` are `configured` or `published`, and the stored keys that they replace are `unused`.',
    'The command never shows the private half of a key.',
  ],
  servers: READS_BESIDE_SERVERS,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output:
    'A table with one line for each key, in the order in which they were added. With --json, one JSON object per line with the public key in `jwk`.',
  examples: ['chancery keys list', 'chancery keys list --json'],
  run: async (call) => {
    await withRegistry(call, { create: false }, async (session) => {
      const rows = await listedKeys(session);
      if (call.options.json) for (const row of rows) call.print(JSON.stringify(row));
      else table(call.print, LIST_HEADS).print(rows.map(listCells));
    });
  },
});

async function listedKeys({ tenant }: RegistrySession): Promise<readonly ListedKey[]> {
  const { life, configured } = tenant.serverKeys;
  const { store, clock, settings } = life;
  return await listServerKeys({ store, clock, retention: settings.retention, configured });
}

function listCells({
  kid,
  use,
  kind,
  state,
  active_at,
  retired_at,
  removed_at,
}: ListedKey): readonly string[] {
  return [kid, use, kind, state, ...[active_at, retired_at, removed_at].map((time) => timeText(time, '-'))];
}

const rotate = command({
  words: ['keys', 'rotate'],
  summary: 'Announce new server keys, which start signing later, or now with --now',
  description: [
    'Each present key gets a successor of its kind. A new signature key is published at once and starts signing after `keys.announcement`, when all clients have read the new key set. The old key stays published for `keys.retention` after the last token that it signed has expired.',
    'A key that has a successor already gets no second one. Servers also rotate keys without a command, every `keys.rotation-interval`. Only this command rotates federation keys, with --use federation: tell the superior entities first.',
  ],
  servers: BESIDE_SERVERS,
  options: {
    use: {
      kind: 'choice',
      values: ['sig', 'enc', 'federation'],
      words: 'Rotates only the keys for this use. Without it, the command rotates `sig` and `enc` keys.',
    },
    kind: {
      kind: 'choice',
      values: ['RSA', 'P-256', 'P-384', 'P-521', 'Ed25519', 'X25519'],
      placeholder: 'KIND',
      words: 'Rotates only keys of this kind.',
    },
    now: {
      kind: 'flag',
      words:
        'Lets the new keys take over at once. Clients that cache the key set refuse new tokens until they read it again.',
    },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output:
    'One line for each new key, with the time from which it signs. With --json, one JSON object per line.',
  examples: ['chancery keys rotate', 'chancery keys rotate --use sig --kind P-256 --now'],
  run: async (call) => {
    const { use, kind, now, json } = call.options;
    const request = { uses: use === undefined ? (['sig', 'enc'] as const) : [use], kind, at_once: now };
    await withRegistry(call, { create: false }, async ({ tenant, request_id }) => {
      const { life } = tenant.serverKeys;
      const rotated = await rotateServerKeys(life, request, { actor: ACTOR, request_id });
      if (rotated.length === 0) throw new CommandFailure(nothingToRotate(life.settings.configured));
      for (const key of rotated) call.print(json ? JSON.stringify(key) : rotatedSentence(key));
    });
  },
});

function nothingToRotate(configured: boolean): string {
  return configured
    ? 'the keys are configured (keys.jwk-set): change that set instead'
    : 'there is no such key';
}

function rotatedSentence({ kid, use, kind, succeeds, active_at, change }: Rotated): string {
  const name = `${use} ${kind}: ${kid}`;
  const from = timeText(active_at, 'now');
  if (change === 'activated') return `${name} has taken over${succeeds === null ? '' : ` from ${succeeds}`}`;
  return `${name} ${change === 'known' ? 'was announced before and' : 'is announced and'} takes over at ${from}`;
}

const REVOCATION_FAILURES = {
  unknown: 'there is no such key (chancery keys list shows the keys)',
  configured: 'the key is configured (keys.jwk-set): take it out of that set and restart the servers',
} as const;

const revoke = command({
  words: ['keys', 'revoke'],
  summary: 'Revoke a compromised server key and replace it at once',
  description: [
    'Everything that the key signed becomes invalid, and a new key takes over at once. This cannot be undone. Revoke a key only if another party may have its private half.',
  ],
  servers: BESIDE_SERVERS,
  operands: { kid: { words: 'Names the key by its kid, which `keys list` prints.' } },
  options: {
    compromised: {
      kind: 'flag',
      required: true,
      words:
        'Confirms that everything the key signed becomes invalid. To replace a key without this, use `chancery keys rotate`.',
    },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: 'One line. With --json, one JSON object.',
  examples: ['chancery keys revoke sig-2026-11-21 --compromised'],
  run: async (call) => {
    const { kid } = call.operands;
    await withRegistry(call, { create: false }, async ({ tenant, request_id }) => {
      const outcome = await revokeServerKey(tenant.serverKeys.life, kid, { actor: ACTOR, request_id });
      if (outcome !== 'revoked') throw new CommandFailure(REVOCATION_FAILURES[outcome]);
      call.print(call.options.json ? JSON.stringify({ kid, revoked: true }) : `revoked ${kid}`);
    });
  },
});

const importKeys = command({
  words: ['keys', 'import'],
  summary: 'Import the keys of a JWK set that was made elsewhere',
  description: [
    'A private key takes over from the server key of its use and kind, as a successor does after `keys rotate`. A public key is published only, so that tokens of another server verify. The set is imported as a whole, or not at all.',
  ],
  servers: BESIDE_SERVERS,
  operands: { file: { words: 'Names the file with the JWK set (RFC 7517 §5); `-` reads standard input.' } },
  options: {
    now: {
      kind: 'flag',
      words: 'Lets the private keys take over at once instead of after `keys.announcement`.',
    },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: 'One line for each key. With --json, one JSON object per line.',
  exits: {
    1: 'A key was not imported, because its kid belongs to another key or to a removed one. Or the command failed.',
  },
  examples: ['chancery keys import old-server-keys.json'],
  run: async (call) => {
    return await withRegistry(call, { create: false }, async ({ settings, tenant, request_id }) => {
      const text = Buffer.from(await readInput(call.operands.file, settings['limits.body'])).toString('utf8');
      const by = { actor: ACTOR, request_id };
      const imported = await importServerKeys(tenant.serverKeys.life, text, call.options.now, by).catch(
        (failure: unknown) => {
          throw failure instanceof ServerJwkSetRefused
            ? new CommandFailure(`the set is refused: ${failure.message}`)
            : failure;
        },
      );
      for (const key of imported) call.print(call.options.json ? JSON.stringify(key) : importedSentence(key));
      return imported.some(({ outcome }) => outcome === 'taken' || outcome === 'removed') ? 1 : 0;
    });
  },
});

function importedSentence({ kid, use, outcome, active_at }: ImportedKey): string {
  switch (outcome) {
    case 'announced':
      return `${use} ${kid} is announced and takes over at ${timeText(active_at ?? 0, 'once')}`;
    case 'activated':
      return `${use} ${kid} has taken over`;
    case 'published':
      return `${use} ${kid} is published`;
    case 'known':
      return `${use} ${kid} is known already: nothing has changed`;
    case 'taken':
      return `${use} ${kid} was not imported: another key has this kid`;
    case 'removed':
      return `${use} ${kid} was not imported: a key with this kid was removed (chancery keys history), and a removed key never returns`;
  }
}

const history = command({
  words: ['keys', 'history'],
  summary: 'List the server keys that were removed, with the reason',
  description: [
    'A removed key is no longer published, and its private half is destroyed. The reason is `superseded` or `compromised`.',
  ],
  servers: READS_BESIDE_SERVERS,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output:
    'A table with one line for each key. With --json, one JSON object per line with the public key in `jwk`.',
  examples: ['chancery keys history'],
  run: async (call) => {
    await withRegistry(call, { create: false }, async ({ tenant }) => {
      const removed = await tenant.storage.serverKeys.removed();
      if (call.options.json) for (const key of removed) call.print(JSON.stringify(removedMembers(key)));
      else table(call.print, HISTORY_HEADS).print(removed.map(removedCells));
    });
  },
});

function removedMembers(key: RemovedServerKey): object {
  const { kid, use, active_at, retired_at, removed_at, reason, public_jwk } = key;
  const jwk: unknown = public_jwk === null ? null : JSON.parse(public_jwk);
  return { kid, use, active_at, retired_at, removed_at, reason, jwk };
}

function removedCells({ kid, use, active_at, removed_at, reason }: RemovedServerKey): readonly string[] {
  return [kid, use, timeText(active_at, '-'), timeText(removed_at, '-'), reason];
}

export const KEY_COMMANDS: readonly Command[] = [
  list,
  rotate,
  revoke,
  importKeys,
  history,
  ...ENCRYPTION_KEY_COMMANDS,
];
