import type { Fields } from '../../test/program/code-request.ts';
import { aPerson, RELYING_PARTY, type TestPerson } from './person.ts';
import type { ClientInformation, TestTenant } from './tenant.ts';
import { tokensFor } from './userinfo.ts';

/** A tenant with a client and an end-user who has signed in there. */
export interface PeopleWorld {
  readonly client: ClientInformation;
  readonly ada: TestPerson;
  readonly sub: string;
  readonly tokens: Readonly<Record<string, unknown>>;
}

/** @param asked further parameters of the authorisation request */
export async function peopleWorld(tenant: TestTenant, asked: Fields = {}): Promise<PeopleWorld> {
  const client = await tenant.register(RELYING_PARTY);
  const ada = await aPerson(tenant);
  const tokens = await tokensFor(tenant, ada, client, { scope: 'openid email', ...asked });
  return { client, ada, sub: ada.account.sub, tokens };
}
