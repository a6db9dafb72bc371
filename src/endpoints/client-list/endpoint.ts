import { listClients } from '../../clients/list-clients.ts';
import { requireMasterToken } from '../../clients/registration-authority.ts';
import type { RegistryNeeds } from '../../clients/registry-needs.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

/** Lists every client as one JSON array, streamed. */
export function clientList(needs: RegistryNeeds): Endpoint {
  return {
    contract,
    async handle({ headers }) {
      await requireMasterToken(needs, headers['authorization']);
      return {
        status: 200,
        headers: { 'content-type': 'application/json', ...UNCACHED },
        body: listClients(needs),
      };
    },
  };
}
