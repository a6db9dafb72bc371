import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Sealer } from '../ports/sealer.ts';
import { type SeenProcess, type Storage, StorageUnavailable } from '../ports/storage.ts';
import { startRounds } from '../system/rounds.ts';
import { keyProblem, ringOf } from './storage.ts';

/** The encryption keys of a running server, compared with the database again and again (ADR 45). */
export interface KeyRing {
  /** As the sealer of the ring, but refuses to seal once the ring no longer opens the database. */
  readonly sealer: Sealer;
  /** Compares now. Returns why the ring does not open the database, as one line; undefined if it does. */
  readonly check: () => Promise<string | undefined>;
  /** Removes the record of this process. */
  stop(): Promise<void>;
}

export interface KeyRingNeeds {
  readonly settings: Settings;
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'set'>;
}

/** Records of processes that have not changed for this many rounds belong to processes that ended without a farewell. */
const SILENT_ROUNDS_MAX = 60;

/**
 * Records this process with the names of its keys, at once and at an interval, and checks the keys as often. A rotation
 * (`keys encryption rotate`) asks these records. The clock does not matter: a process runs if its beats grow.
 */
export async function openKeyRing(needs: KeyRingNeeds): Promise<KeyRing> {
  const { settings, storage, log } = needs;
  const id = randomBytes(12).toString('base64url');
  const self = { id, name: `${hostname()}:${process.pid}`, ring: ringOf(settings) };
  const guard = guardedSealer(needs);
  const silent = silentProcesses();
  const round = async (): Promise<void> => {
    await guard.check();
    await storage.recordProcess(self);
    const gone = silent(await storage.processes());
    if (gone.length > 0) await storage.forgetProcesses(gone);
  };
  const failure = 'the record of this process and its encryption keys could not be renewed';
  // A database that cannot be written now, because its disk is full for instance, still answers.
  await round().catch((cause: unknown) => log.error({ cause }, failure));
  const rounds = startRounds(settings['storage.process-interval'], round, { log, failure });
  return {
    sealer: guard.sealer,
    check: guard.check,
    async stop() {
      await rounds.stop();
      await storage.forgetProcesses([id]).catch(() => undefined);
    },
  };
}

/**
 * Refuses to seal with a key that the database no longer has: what it sealed would be lost with that key. It still
 * opens everything that the ring can open.
 */
function guardedSealer({ storage, sealer, log, metrics }: KeyRingNeeds): Pick<KeyRing, 'sealer' | 'check'> {
  let problem: string | undefined;
  const note = (found: string | undefined): void => {
    metrics.set('chancery_encryption_key_opens_database', {}, found === undefined ? 1 : 0);
    if (found === problem) return;
    if (found === undefined) log.info({}, 'encryption.key opens the database again');
    else log.error({ reason: found }, 'encryption.key does not open the database: this process is not ready');
    problem = found;
  };
  return {
    async check() {
      const canary = await storage.storedCanary();
      note(canary === undefined ? undefined : keyProblem(canary, sealer, 'the database'));
      return problem;
    },
    sealer: {
      ...sealer,
      seal(plaintext, place) {
        if (problem !== undefined) throw new StorageUnavailable(problem, { writesStopped: true });
        return sealer.seal(plaintext, place);
      },
    },
  };
}

/** A running process has beaten after this many intervals, unless it is very busy. */
const INTERVALS_TO_WAIT = 2.5;
const POLL_MS = 100;

/**
 * Returns the recorded processes that match and still run, because their beats grow. Waits for beats only if a record
 * matches, and for at most two and a half intervals. Forgets the matching processes that are silent so long.
 */
export async function stillRunning(
  storage: Pick<Storage, 'processes' | 'forgetProcesses'>,
  interval_s: number,
  matches: (process: SeenProcess) => boolean,
): Promise<readonly SeenProcess[]> {
  const suspects = new Map((await storage.processes()).filter(matches).map((seen) => [seen.id, seen.beats]));
  const running = new Map<string, SeenProcess>();
  const polls = Math.ceil((INTERVALS_TO_WAIT * interval_s * 1000) / POLL_MS);
  for (let poll = 0; suspects.size > 0 && poll < polls; poll += 1) {
    await sleep(POLL_MS);
    for (const seen of await storage.processes()) {
      const beats = suspects.get(seen.id);
      if (beats === undefined || beats === seen.beats) continue;
      suspects.delete(seen.id);
      if (matches(seen)) running.set(seen.id, seen);
    }
  }
  if (suspects.size > 0) await storage.forgetProcesses([...suspects.keys()]);
  return [...running.values()];
}

/** Returns a function that takes all records of one round after another, and returns the ids that stopped beating. */
function silentProcesses(): (seen: readonly SeenProcess[]) => readonly string[] {
  let known = new Map<string, { readonly beats: number; readonly rounds: number }>();
  return (seen) => {
    known = new Map(
      seen.map(({ id, beats }) => {
        const before = known.get(id);
        return [id, { beats, rounds: before?.beats === beats ? before.rounds + 1 : 0 }];
      }),
    );
    return [...known].flatMap(([id, { rounds }]) => (rounds >= SILENT_ROUNDS_MAX ? [id] : []));
  };
}
