import { audited } from '../../clients/audit-trail.ts';
import { deleteClient } from '../../clients/manage-client.ts';
import { authenticateManager } from '../../clients/registration/registration-authority.ts';
import type { RegistryNeeds } from '../../clients/registry-needs.ts';
import { clientIdFromSegment } from '../../spec/identifiers.ts';
import { UNCACHED } from '../answer.ts';
import type { Contract, Endpoint } from '../contract.ts';
import { contract, contractAtRegister } from './contract.ts';

/** Deletes a registration. */
export function clientDelete(needs: RegistryNeeds): Endpoint {
  return at(contract, needs);
}

/** Does the same at `/register/{id}`. */
export function clientDeleteAtRegister(needs: RegistryNeeds): Endpoint {
  return at(contractAtRegister, needs);
}

function at(where: Contract, needs: RegistryNeeds): Endpoint {
  return {
    contract: where,
    handle: async ({ headers, segment, id }) =>
      await audited(needs, 'client.delete', id, async (trail) => {
        const client_id = clientIdFromSegment(segment);
        await deleteClient(
          needs,
          async () => await authenticateManager(needs, headers['authorization'], client_id, trail),
          trail,
        );
        return { status: 204, headers: UNCACHED };
      }),
  };
}
