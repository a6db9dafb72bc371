import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { mock, type TestContext } from 'node:test';

export interface CryptoCalls {
  readonly calls: readonly { readonly arguments: readonly unknown[] }[];
  callCount(): number;
  resetCalls(): void;
}

/**
 * Notes the calls of a function of node:crypto until the test ends. Code of the same process may have the function compiled in, so
 * such a test file has a process of its own (`tools/test-groups.ts`).
 */
export function cryptoCalls(t: TestContext, name: 'sign' | 'verify' | 'createPublicKey'): CryptoCalls {
  const method = mock.method(crypto, name);
  syncBuiltinESMExports();
  t.after(() => {
    method.mock.restore();
    syncBuiltinESMExports();
  });
  return method.mock;
}
