import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Mode } from '../../config/rules.ts';
import type { Settings } from '../../config/settings.ts';
import type { Storage } from '../../ports/storage.ts';
import { comparedClock, doubtText } from '../../process/clock.ts';
import { openSchema, openStorage, requireRightKey, sealerOf, sqlitePath } from '../../process/storage.ts';
import { verifySqliteBackup } from '../../storage/sqlite/backup.ts';
import { type Finding, good, problem, warning } from './finding.ts';

const GIB = 1024 ** 3;
const FREE_BYTES_MIN = GIB;
const FREE_SHARE_MIN = 0.1;

/** A day, and two hours for a backup that takes long. */
const BACKUP_AGE_MAX = 26 * 3600;

const FOREIGN_ACCESS = 0o077;

/** Examines the database of the settings. Changes nothing in it. */
export async function dataFindings(settings: Settings, mode: Mode): Promise<readonly Finding[]> {
  const path = sqlitePath(settings);
  if (path !== undefined && !existsSync(path))
    return [
      problem('database', `there is no file at ${path}`, {
        reason: 'A wrong path or a volume that is not mounted looks like that.',
        remedy: 'Correct storage.url. For a first start, `chancery serve --create` makes the file.',
      }),
    ];
  const place = path === undefined ? [] : [...modeFindings(path), ...diskFindings(dirname(path))];
  const pending = await pendingSchema(settings);
  if (pending !== undefined) return [...place, pending];
  return [...place, ...(await contentFindings(settings, mode))];
}

function modeFindings(path: string): Finding[] {
  const mode = statSync(path).mode & 0o777;
  if ((mode & FOREIGN_ACCESS) === 0) return [];
  return [
    warning('database', `other users of the machine may open ${path} (mode ${mode.toString(8)})`, {
      reason: 'The file holds accounts and registrations. Secrets in it are encrypted, names are not.',
      remedy: `chmod 600 ${path}, and 700 for its folder`,
    }),
  ];
}

function diskFindings(folder: string): Finding[] {
  const { bavail, blocks, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const says = `${(free / GIB).toFixed(1)} GiB are free in ${folder} (${Math.round((100 * bavail) / blocks)} %)`;
  if (free >= FREE_BYTES_MIN || bavail / blocks >= FREE_SHARE_MIN) return [good('disk', says)];
  return [
    warning('disk', says, {
      reason: 'With a full disk the server refuses every write: no sign-in, no token, no registration.',
      remedy: 'Free space, or move the database to a larger volume (docs/operate/incidents.md).',
    }),
  ];
}

/** Returns a problem for a schema that servers refuse, or for a database that cannot be reached. */
async function pendingSchema(settings: Settings): Promise<Finding | undefined> {
  const schema = await openSchema(settings);
  try {
    const pending = await schema.pending();
    if (pending.length === 0) return undefined;
    return problem('database', `${pending.length} schema steps are pending`, {
      reason: 'Servers of this version do not start on the database.',
      remedy: 'Read `chancery migrate plan`, make a backup, then run `chancery migrate up`.',
    });
  } catch (failure) {
    return unreachable(failure);
  } finally {
    await schema.close();
  }
}

const unreachable = (failure: unknown): Finding =>
  problem('database', failure instanceof Error ? failure.message : String(failure), {
    reason: 'Servers cannot start, or answer 503.',
    remedy: 'Look at storage.url, at the database server, and at encryption.key.',
  });

async function contentFindings(settings: Settings, mode: Mode): Promise<readonly Finding[]> {
  let storage: Storage | undefined;
  try {
    storage = await openStorage({ ...settings, 'storage.replica-url': 'none' }, { check: false, mode });
    await requireRightKey(storage, sealerOf(settings));
    await storage.ready();
    const concerns = await storage.concerns();
    const doubt = comparedClock(settings, await storage.time.remembered()).doubt();
    return [
      good(
        'database',
        'it is there, its schema is current, encryption.key opens it, and it takes durable writes',
      ),
      ...concerns.map((says) =>
        warning('database', says, {
          reason: 'The storage works, and lacks a safeguard.',
          remedy: 'Change it at the database server.',
        }),
      ),
      ...(doubt === undefined ? [good('clock', 'it agrees with the time that the database remembers')] : []),
      ...(doubt === undefined
        ? []
        : [
            problem('clock', doubtText(doubt), {
              reason: 'Servers delete nothing and rotate no key while their clock is in doubt.',
              remedy: 'Correct the clock, or confirm it with `chancery clock confirm`.',
            }),
          ]),
    ];
  } catch (failure) {
    return [unreachable(failure)];
  } finally {
    await storage?.close();
  }
}

/** Reads the newest backup in a folder, and compares its digests. */
export async function backupFindings(folder: string, now: number): Promise<readonly Finding[]> {
  const newest = newestFile(folder);
  if (newest === undefined)
    return [
      problem('backup', `there is no file in ${folder}`, {
        reason: 'A lost disk is then a lost registry.',
        remedy: 'Run `chancery backup create` every night (docs/operate/backup.md).',
      }),
    ];
  try {
    const { manifest } = await verifySqliteBackup(newest);
    const hours = Math.floor((now - manifest.taken_at) / 3600);
    const says = `${newest} is sound and ${hours} hours old`;
    if (now - manifest.taken_at <= BACKUP_AGE_MAX) return [good('backup', says)];
    return [
      warning('backup', says, {
        reason: 'A restore loses everything since: registrations, revocations, rotated keys.',
        remedy: 'Look for the job that makes backups.',
      }),
    ];
  } catch (failure) {
    return [
      problem('backup', failure instanceof Error ? failure.message : String(failure), {
        reason: 'The newest backup cannot be restored.',
        remedy: 'Make another one now (`chancery backup create`), and find out what wrote to the file.',
      }),
    ];
  }
}

/** Files that stand beside the backups in `backup.directory`. */
const BESIDE_BACKUPS = /\.(?:json|lock|new-[0-9a-f]{16})(?:-journal)?$/u;

function newestFile(folder: string): string | undefined {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !BESIDE_BACKUPS.test(entry.name))
    .map((entry) => join(folder, entry.name));
  return files.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
}
