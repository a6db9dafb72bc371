import { describe } from 'node:test';
import { accessTokenContract } from './access-token-suite.ts';
import { accountContract } from './account-suite.ts';
import { auditContract } from './audit-suite.ts';
import { authorizationCodeContract } from './authorization-code-suite.ts';
import { clientBatchContract } from './client-batch-suite.ts';
import { clientCreationContract } from './client-creation-suite.ts';
import { clientContract } from './client-suite.ts';
import { clientUseContract } from './client-use-suite.ts';
import { consentContract } from './consent-suite.ts';
import type { Engine } from './engine.ts';
import { federatedClientContract } from './federated-client-suite.ts';
import { grantContract } from './grant-suite.ts';
import { initialAccessTokenContract } from './initial-access-token-suite.ts';
import { interactionContract } from './interaction-suite.ts';
import { journalContract } from './journal-suite.ts';
import { logoutNotificationContract } from './logout-notification-suite.ts';
import { manyWritesContract } from './many-writes-suite.ts';
import { openRegistrationContract } from './open-registration-suite.ts';
import { rateContract } from './rate-suite.ts';
import { replayContract } from './replay-suite.ts';
import { serverKeyContract } from './server-key-suite.ts';
import { sessionContract } from './session-suite.ts';
import { tenantContract } from './tenant-suite.ts';
import { trustAnchorContract } from './trust-anchor-suite.ts';
import { upkeepContract } from './upkeep-suite.ts';
import { wholeStorageContract } from './whole-storage-suite.ts';

/** Registers the tests that every storage engine must pass; `engine` answers with an empty place each time. */
export function storageContract(name: string, engine: () => Promise<Engine>): void {
  describe(name, { concurrency: false }, () => {
    describe('creation of clients', () => clientCreationContract(engine));
    describe('open registration', () => openRegistrationContract(engine));
    describe('clients of a federation', () => federatedClientContract(engine));
    describe('accounts', () => accountContract(engine));
    describe('sessions', () => sessionContract(engine));
    describe('clients that are to hear of the end of a session', () => logoutNotificationContract(engine));
    describe('interactions', () => interactionContract(engine));
    describe('consents', () => consentContract(engine));
    describe('clients', () => clientContract(engine));
    describe('batches of changes to clients', () => clientBatchContract(engine));
    describe('uses of clients', () => clientUseContract(engine));
    describe('access tokens', () => accessTokenContract(engine));
    describe('grants and refresh tokens', () => grantContract(engine));
    describe('authorisation codes', () => authorizationCodeContract(engine));
    describe('initial access tokens', () => initialAccessTokenContract(engine));
    describe('audit log', () => auditContract(engine));
    describe('journal of changes', () => journalContract(engine));
    describe('what may be used once', () => replayContract(engine));
    describe('rates', () => rateContract(engine));
    describe('server keys', () => serverKeyContract(engine));
    describe('trust anchors', () => trustAnchorContract(engine));
    describe('tenants', () => tenantContract(engine));
    describe('periodic work', () => upkeepContract(engine));
    describe('whole storage', () => wholeStorageContract(engine));
    describe('many writes at once', () => manyWritesContract(engine));
  });
}
