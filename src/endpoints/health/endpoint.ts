import type { Log } from '../../ports/log.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Endpoint, EndpointResponse } from '../contract.ts';
import { liveContract, readyContract } from './contract.ts';

export interface ReadinessNeeds {
  readonly storage: Storage;
  /** False from the moment the process was told to stop. */
  readonly isServing: () => boolean;
  readonly log: Log;
}

export function healthLive(): Endpoint {
  return { contract: liveContract, handle: () => health(200, { status: 'live' }) };
}

export function healthReady(needs: ReadinessNeeds): Endpoint {
  return {
    contract: readyContract,
    async handle() {
      if (!needs.isServing()) return health(503, { status: 'stopping' });
      try {
        await needs.storage.ready();
      } catch (cause) {
        needs.log.error({ cause }, 'storage is not ready');
        return health(503, { status: 'not-ready', checks: { storage: 'failed' } });
      }
      return health(200, { status: 'ready', checks: { storage: 'passed' } });
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
