import { describe } from 'node:test';
import { accessTokenContract } from './access-token.contract.ts';
import { clientContract } from './client.contract.ts';
import { clientCreationContract } from './client-creation.contract.ts';
import type { Engine } from './contract-engine.ts';
import { serverKeyContract } from './server-key.contract.ts';
import { wholeStorageContract } from './whole-storage.contract.ts';

/** Registers the tests that every storage engine must pass; `engine` answers with an empty place each time. */
export function storageContract(name: string, engine: () => Promise<Engine>): void {
  describe(name, { concurrency: false }, () => {
    describe('creation of clients', () => clientCreationContract(engine));
    describe('clients', () => clientContract(engine));
    describe('access tokens', () => accessTokenContract(engine));
    describe('server keys', () => serverKeyContract(engine));
    describe('whole storage', () => wholeStorageContract(engine));
  });
}
