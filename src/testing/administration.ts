import { clientInformation } from '../clients/client-information.ts';
import { registerClient } from '../clients/registration/register-client.ts';
import { parseJsonObject } from '../spec/json.ts';
import { OPERATOR_PRIVILEGES } from '../spec/registration-privileges.ts';
import { type ClientInformation, clientInformationOf } from './client-information.ts';
import type { TestTenant } from './tenant.ts';

/** Registers a client as the command line does, which may give it scope of the administration. */
export async function registerAsOperator(
  tenant: Pick<TestTenant, 'registry'>,
  metadata: object,
): Promise<ClientInformation> {
  const needs = await tenant.registry();
  const trail = { action: 'client.create', request_id: 'test', actor: 'cli', client_id: null } as const;
  const registrant = { kind: 'master', name: 'cli', privileges: OPERATOR_PRIVILEGES } as const;
  const request = parseJsonObject(Buffer.from(JSON.stringify(metadata)), needs.json);
  const client = await registerClient(needs, registrant, request, { ...trail });
  const text = clientInformation(needs, client);
  return clientInformationOf({ json: JSON.parse(text) as ClientInformation['members'] });
}
