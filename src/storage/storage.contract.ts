import { describe } from 'node:test';
import { accessTokenContract } from './access-token.contract.ts';
import { accountContract } from './account.contract.ts';
import { auditContract } from './audit.contract.ts';
import { authorizationCodeContract } from './authorization-code.contract.ts';
import { clientContract } from './client.contract.ts';
import { clientCreationContract } from './client-creation.contract.ts';
import { clientUseContract } from './client-use.contract.ts';
import { consentContract } from './consent.contract.ts';
import type { Engine } from './contract-engine.ts';
import { federatedClientContract } from './federated-client.contract.ts';
import { grantContract } from './grant.contract.ts';
import { initialAccessTokenContract } from './initial-access-token.contract.ts';
import { interactionContract } from './interaction.contract.ts';
import { journalContract } from './journal.contract.ts';
import { logoutNotificationContract } from './logout-notification.contract.ts';
import { openRegistrationContract } from './open-registration.contract.ts';
import { rateContract } from './rate.contract.ts';
import { replayContract } from './replay.contract.ts';
import { serverKeyContract } from './server-key.contract.ts';
import { sessionContract } from './session.contract.ts';
import { tenantContract } from './tenant.contract.ts';
import { wholeStorageContract } from './whole-storage.contract.ts';

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
    describe('tenants', () => tenantContract(engine));
    describe('whole storage', () => wholeStorageContract(engine));
  });
}
