import assert from 'node:assert/strict';
import type { Log } from '../../ports/log.ts';
import type { Storage } from '../../ports/storage.ts';

/** A storage of which nothing but its readiness is of interest. */
export function aStorage(ready: () => Promise<void>): Storage {
  const unused = (): never => assert.fail('readiness asks for nothing else');
  const tenants = { version: unused, all: unused, create: unused, replace: unused };
  const sealing = { sealCanary: unused, replaceSealCanary: unused };
  return { ready, tenants, forTenant: unused, ...sealing, concerns: unused, close: unused };
}

export const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
