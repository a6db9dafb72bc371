import { deleteClient } from '../../clients/manage-client.ts';
import { authenticateManager } from '../../clients/registration-authority.ts';
import type { RegistryNeeds } from '../../clients/registry-needs.ts';
import { clientIdFromSegment } from '../../spec/identifiers.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

/** Ends a registration. */
export function clientDelete(needs: RegistryNeeds): Endpoint {
  return {
    contract,
    async handle({ headers, segment }) {
      const id = clientIdFromSegment(segment);
      await deleteClient(needs, async () => await authenticateManager(needs, headers['authorization'], id));
      return { status: 204, headers: UNCACHED };
    },
  };
}
