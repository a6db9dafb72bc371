import { randomBytes } from 'node:crypto';
import { resealVersions } from '../clients/history/reseal-versions.ts';
import { resealClients } from '../clients/secrets/client-secrets.ts';
import { resealStreams } from '../events/signals/stream.ts';
import { resealWebhooks } from '../events/webhooks/webhook.ts';
import { resealNotifications } from '../grants/backchannel/backchannel-request.ts';
import { resealServerKeys } from '../keys/server-key-life.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { SeenProcess, Storage } from '../ports/storage.ts';
import { DEFAULT_TENANT } from '../spec/identifiers.ts';
import { sealerForTenant } from '../system/sealer.ts';
import { type Command, command } from './command.ts';
import { CommandFailure } from './failure.ts';
import { writeNewPrivately } from './private-file.ts';
import { CONFIG_OPTION, SETTINGS_VARIABLES, settingsFor } from './settings.ts';

const generate = command({
  words: ['keys', 'encryption', 'generate'],
  summary: 'Print a new random key for the setting encryption.key',
  description: [
    'The encryption key protects client secrets and private keys in the database. Keep it outside the database and outside its backups: without it, a database is useless. Without --out the command stores nothing.',
  ],
  servers: 'The command uses no data of a server.',
  options: {
    out: {
      kind: 'text',
      value: 'FILE',
      words:
        'Writes the key to this new file, which only its owner may read, instead of standard output. An existing file is never replaced.',
    },
  },
  environment: [],
  output:
    'One line: 256 random bits as 64 hexadecimal digits. With --out, one line with the name of the file.',
  examples: ['chancery keys encryption generate --out encryption.key'],
  run: async ({ options: { out }, print }) => {
    const key = randomBytes(32).toString('hex');
    if (out === undefined) print(key);
    else {
      writeNewPrivately(out, key);
      print(`the key is in ${out}; keep a copy: without it the database is useless`);
    }
    return await Promise.resolve(0);
  },
});

const rotate = command({
  words: ['keys', 'encryption', 'rotate'],
  summary: 'Encrypt the whole database with the first key of encryption.key',
  description: [
    'First put the new key in front of the old one (`encryption.key: NEW,OLD`) and restart every server. Then run this command: it encrypts all client secrets, those of former versions too, and server keys of all tenants with the first key. Afterwards the old key can be removed from the setting.',
    'Each server process records in the database which keys it has. The command changes nothing while a running process lacks the first key, and names that process. It says that the other keys can be removed only when every recorded process encrypts with the first key.',
    'An interrupted command can be run again. It skips what the first key encrypts already.',
  ],
  servers: 'Servers may run on the same database meanwhile, if they know both keys.',
  options: {
    'despite-servers': {
      kind: 'flag',
      words:
        'Lets the command go on although running processes lack the first key. They stop being ready, and must be restarted with the new ring.',
    },
    ...CONFIG_OPTION,
  },
  environment: SETTINGS_VARIABLES,
  output:
    'One line with the number of keys, clients and former versions that were encrypted again. It says whether the other keys can be removed, and names the servers that did not confirm the new ring.',
  exits: {
    1: 'A running process lacks the first key, or encrypts with another one: keep the other keys. Or the command failed.',
  },
  examples: ['CHANCERY_ENCRYPTION_KEY=$NEW,$OLD chancery keys encryption rotate'],
  run: async (call) => {
    const { settings } = await settingsFor('production', call);
    const { openStorage, requireRightKey, ringOf, sealerOf } = await import('../process/storage.ts');
    const { stillRunning } = await import('../process/key-ring.ts');
    const [first = ''] = ringOf(settings);
    const interval = settings['storage.process-interval'];
    const sealer = sealerOf(settings);
    const storage = await openStorage(settings, { check: false, mode: 'production' });
    try {
      await requireRightKey(storage, sealer);
      const lacking = await stillRunning(storage, interval, ({ ring }) => !ring.includes(first));
      if (lacking.length > 0 && !call.options['despite-servers']) {
        throw new CommandFailure(
          `nothing has changed: ${named(lacking)} would lose the database, because the first key is not in the ring there; restart with both keys, then run this command again (--despite-servers goes on)`,
        );
      }
      const { keys, clients, versions } = await resealDatabase(storage, sealer);
      const done = `sealed with the first key: ${keys} server keys, ${clients} clients, ${versions} former versions of clients`;
      const behind = await stillRunning(storage, interval, ({ ring }) => ring[0] !== first);
      if (behind.length > 0) {
        call.print(
          `${done}; keep the other keys: ${named(behind)} did not confirm this ring and may still seal with another key; restart with this ring, then run this command again`,
        );
        return 1;
      }
      const running = await storage.processes();
      call.print(
        running.length === 0
          ? `${done}; no running server is recorded: once every server runs with this ring, the other keys can be removed`
          : `${done}; every recorded server runs with this ring (${named(running)}): the other keys can be removed`,
      );
      return 0;
    } finally {
      await storage.close();
    }
  },
});

const named = (processes: readonly SeenProcess[]): string => processes.map(({ name }) => name).join(', ');

/** Encrypts everything with the first key while servers that know both keys serve on. */
async function resealDatabase(
  storage: Storage,
  sealer: Sealer,
): Promise<{ readonly keys: number; readonly clients: number; readonly versions: number }> {
  const { resealCanary } = await import('../process/storage.ts');
  let [keys, clients, versions] = [0, 0, 0];
  const tenants = (await storage.tenants.all()).map(({ id }) => id);
  for (const tenant of [DEFAULT_TENANT, ...tenants]) {
    const own = storage.forTenant(tenant);
    const bound = sealerForTenant(sealer, tenant);
    keys += await resealServerKeys(own.serverKeys, bound);
    clients += await resealClients(own.clients, bound);
    await resealWebhooks(own.webhooks, bound);
    await resealStreams(own.eventStreams, bound);
    await resealNotifications(own.backchannelRequests, bound);
    versions += await resealVersions(own.clientHistory, bound);
  }
  await resealCanary(storage, sealer);
  return { keys, clients, versions };
}

export const ENCRYPTION_KEY_COMMANDS: readonly Command[] = [generate, rotate];
