import { audited } from '../../clients/audit-trail.ts';
import { clientInformation } from '../../clients/client-information.ts';
import { type Authenticate, updateClient } from '../../clients/manage-client.ts';
import { authenticateManager } from '../../clients/registration/registration-authority.ts';
import { applySoftwareStatement } from '../../clients/registration/software-statement.ts';
import type { RegistryNeeds } from '../../clients/registry-needs.ts';
import { clientIdFromSegment } from '../../spec/identifiers.ts';
import { parseJsonObject } from '../../spec/json.ts';
import { requireMediaType } from '../../spec/media-type.ts';
import { UNCACHED } from '../answer.ts';
import type { Contract, Endpoint } from '../contract.ts';
import { contract, contractAtRegister } from './contract.ts';

const HEADERS = Object.freeze({ 'content-type': 'application/json', ...UNCACHED });

/** Replaces a registration. */
export function clientUpdate(needs: RegistryNeeds): Endpoint {
  return at(contract, needs);
}

/** Does the same at `/register/{id}`. */
export function clientUpdateAtRegister(needs: RegistryNeeds): Endpoint {
  return at(contractAtRegister, needs);
}

function at(where: Contract, needs: RegistryNeeds): Endpoint {
  return {
    contract: where,
    handle: async ({ headers, segment, body, id, remoteAddress }) =>
      await audited(needs, 'client.update', id, async (trail) => {
        const client_id = clientIdFromSegment(segment);
        const authenticate: Authenticate = async () =>
          await authenticateManager(needs, headers['authorization'], client_id, trail);
        await authenticate();
        requireMediaType(headers['content-type'], 'application/json');
        const sent = parseJsonObject(body, needs.json);
        const stated = await applySoftwareStatement(needs, sent, remoteAddress);
        const client = await updateClient(needs, authenticate, stated, trail);
        return {
          status: 200,
          headers: HEADERS,
          body: clientInformation(needs, client),
        };
      }),
  };
}
