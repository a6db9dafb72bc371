import assert from 'node:assert/strict';
import { TOKEN_EXCHANGE_GRANT } from '../spec/grant-types.ts';
import { ACCESS_TOKEN_TYPE } from '../spec/token-types.ts';
import type { Answer } from './exchange.ts';
import { RELYING_PARTY, type TestPerson } from './person.ts';
import {
  type ClientInformation,
  SERVICE,
  type TestTenant,
  type TestTenantOptions,
  testTenant,
} from './tenant.ts';
import { tokensFor } from './userinfo.ts';

/** The service that receives the tokens of an application, and exchanges them for tokens of the next one. */
export const GATEWAY = 'https://gateway.example';
/** The next service. */
export const LEDGER = 'https://ledger.example';

/** The application that end-users sign in to. */
export const APPLICATION = { ...RELYING_PARTY, scope: 'openid profile read write' };

/** A tenant where clients may exchange tokens. */
export function exchangeTenant({ settings, ...options }: TestTenantOptions = {}): TestTenant {
  return testTenant({ ...options, settings: { 'token-exchange.enabled': true, ...settings } });
}

/** A service that may exchange tokens for the ledger. @param policy changes of its policy */
export async function exchanger(
  tenant: TestTenant,
  policy: object = {},
  metadata: object = {},
): Promise<ClientInformation> {
  return await tenant.register({
    grant_types: [TOKEN_EXCHANGE_GRANT, 'client_credentials'],
    scope: 'read write admin',
    resource_identifiers: [GATEWAY],
    chancery_token_exchange: { audiences: [LEDGER], ...policy },
    ...metadata,
  });
}

/** `POST /token` with a subject token. */
export async function exchange(
  tenant: TestTenant,
  { client_id, client_secret }: Pick<ClientInformation, 'client_id' | 'client_secret'>,
  subject_token: string,
  form: Readonly<Record<string, string>> = {},
  request: Omit<Parameters<TestTenant['send']>[1] & object, 'form' | 'basic'> = {},
): Promise<Answer> {
  return await tenant.send('token', {
    ...request,
    basic: [client_id, client_secret],
    form: {
      grant_type: TOKEN_EXCHANGE_GRANT,
      subject_token,
      subject_token_type: ACCESS_TOKEN_TYPE,
      ...form,
    },
  });
}

/** The new token of an exchange that succeeds. */
export async function exchanged(...request: Parameters<typeof exchange>): Promise<string> {
  const answered = await exchange(...request);
  assert.equal(answered.status, 200, answered.body);
  return String(answered.json['access_token']);
}

/** An access token of the application for a person, which is for the gateway. */
export async function tokenOfPerson(
  tenant: TestTenant,
  person: Pick<TestPerson, 'grant'>,
  application: ClientInformation,
  asked: Readonly<Record<string, string>> = {},
): Promise<string> {
  const wanted = { scope: 'openid read write', resource: GATEWAY, ...asked };
  return String((await tokensFor(tenant, person, application, wanted))['access_token']);
}

/** An access token of a new client that acts for itself, which is for the gateway. */
export async function tokenOfService(tenant: TestTenant, metadata: object = {}): Promise<string> {
  const client = await tenant.register({ ...SERVICE, scope: 'read write', ...metadata });
  return await ownToken(tenant, client, { resource: GATEWAY });
}

/** An access token of a client for itself. */
export async function ownToken(
  tenant: TestTenant,
  { client_id, client_secret }: ClientInformation,
  form: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answered = await tenant.send('token', {
    basic: [client_id, client_secret],
    form: { grant_type: 'client_credentials', ...form },
    headers,
  });
  assert.equal(answered.status, 200, answered.body);
  return String(answered.json['access_token']);
}
