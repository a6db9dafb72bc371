import type { Log } from '../../ports/log.ts';
import { type FileCheckState, type Storage, StorageUnavailable } from '../../ports/storage.ts';
import type { Endpoint, EndpointResponse } from '../contract.ts';
import { liveContract, readyContract } from './contract.ts';

/** `starting`: the process is not open yet. `not-ready`: a check fails. */
export type ReadyState = 'starting' | 'ready' | 'not-ready' | 'stopping';

/** The readiness of a process, with its reason. */
export interface Readiness {
  readonly status: ReadyState;
  /** The check that fails; the storage if none is named. */
  readonly failed?: 'storage' | 'encryption-key';
  /** Why the check fails, as one line for the operator. */
  readonly reason?: string;
  /** How far the check of the database file is, after a crash (ADR 46). */
  readonly file?: FileCheckState;
  /** Why the clock is in doubt: the server serves and deletes nothing. */
  readonly clock?: string;
}

export function healthLive(): Endpoint {
  return { contract: liveContract, handle: () => health(200, { status: 'live' }) };
}

export function healthReady(state: () => Readiness | Promise<Readiness>): Endpoint {
  return {
    contract: readyContract,
    async handle() {
      const { status, failed = 'storage', file, clock, ...why } = await state();
      const checked = file === undefined ? {} : { file };
      const doubted = clock === undefined ? {} : { clock: 'in doubt' };
      if (status === 'ready') {
        const checks = { storage: 'passed', ...checked, ...doubted };
        return health(200, { status, checks, ...(clock === undefined ? {} : { reason: clock }) });
      }
      if (status !== 'not-ready') return health(503, { status });
      const storage = failed === 'storage' ? 'failed' : 'passed';
      return health(503, { status, checks: { storage, [failed]: 'failed', ...checked }, ...why });
    },
  };
}

function health(status: number, body: object): EndpointResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(body),
  };
}

/**
 * Checks whether the storage reads and writes durably now, and logs why it does not. Then checks the encryption key.
 * @param keyProblem returns why the key does not open the database
 */
export async function storageState(
  storage: Pick<Storage, 'ready' | 'fileCheck'>,
  log: Log,
  keyProblem: () => Promise<string | undefined> = async () => await Promise.resolve(undefined),
): Promise<Readiness> {
  const check = storage.fileCheck?.state();
  const file = check === undefined ? {} : { file: check };
  try {
    await storage.ready();
    const reason = await keyProblem();
    return reason === undefined
      ? { status: 'ready', ...file }
      : { status: 'not-ready', failed: 'encryption-key', reason, ...file };
  } catch (cause) {
    log.error({ cause }, 'storage is not ready');
    if (!(cause instanceof StorageUnavailable)) return { status: 'not-ready', ...file };
    return { status: 'not-ready', reason: cause.message, ...file };
  }
}
