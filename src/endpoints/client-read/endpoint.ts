import { audited } from '../../clients/audit-trail.ts';
import { clientInformation } from '../../clients/client-information.ts';
import { readClient } from '../../clients/manage-client.ts';
import { authenticateManager } from '../../clients/registration/registration-authority.ts';
import type { RegistryNeeds } from '../../clients/registry-needs.ts';
import { clientIdFromSegment } from '../../spec/identifiers.ts';
import { UNCACHED } from '../answer.ts';
import type { Contract, Endpoint } from '../contract.ts';
import { contract, contractAtRegister } from './contract.ts';

const HEADERS = Object.freeze({ 'content-type': 'application/json', ...UNCACHED });

/** Reads a registration, and renews an expired secret. */
export function clientRead(needs: RegistryNeeds): Endpoint {
  return at(contract, needs);
}

/** Does the same at `/register/{id}`. */
export function clientReadAtRegister(needs: RegistryNeeds): Endpoint {
  return at(contractAtRegister, needs);
}

function at(where: Contract, needs: RegistryNeeds): Endpoint {
  return {
    contract: where,
    handle: async ({ headers, segment, id }) =>
      await audited(needs, 'client.read', id, async (trail) => {
        const client_id = clientIdFromSegment(segment);
        const client = await readClient(
          needs,
          async () => await authenticateManager(needs, headers['authorization'], client_id, trail),
          trail,
        );
        return {
          status: 200,
          headers: HEADERS,
          body: clientInformation(needs, client),
        };
      }),
  };
}
