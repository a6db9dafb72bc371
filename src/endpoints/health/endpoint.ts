import type { Log } from '../../ports/log.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Endpoint, EndpointResponse } from '../contract.ts';
import { liveContract, readyContract } from './contract.ts';

/** `starting`: the process is not open yet. `not-ready`: its storage does not work. */
export type ReadyState = 'starting' | 'ready' | 'not-ready' | 'stopping';

export function healthLive(): Endpoint {
  return { contract: liveContract, handle: () => health(200, { status: 'live' }) };
}

export function healthReady(state: () => ReadyState | Promise<ReadyState>): Endpoint {
  return {
    contract: readyContract,
    async handle() {
      const status = await state();
      if (status === 'ready') return health(200, { status, checks: { storage: 'passed' } });
      return health(503, status === 'not-ready' ? { status, checks: { storage: 'failed' } } : { status });
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

/** Checks whether the storage reads and writes durably now, and logs why it does not. */
export async function storageState(
  storage: Pick<Storage, 'ready'>,
  log: Log,
): Promise<'ready' | 'not-ready'> {
  try {
    await storage.ready();
    return 'ready';
  } catch (cause) {
    log.error({ cause }, 'storage is not ready');
    return 'not-ready';
  }
}
