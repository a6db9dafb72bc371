import { authorizeDirectly } from '../../grants/direct-authorization/authorize-directly.ts';
import type { Issuing } from '../../grants/grant.ts';
import { digestOf } from '../../keys/digest.ts';
import { type JsonLimits, parseJsonObject } from '../../spec/json.ts';
import { requireMediaType } from '../../spec/media-type.ts';
import {
  bearerTokenNeeded,
  insufficientScope,
  invalidToken,
  type MasterToken,
  masterTokenOf,
  masterTokens,
  presentedBearer,
} from '../../tokens/bearer-token.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

const HEADERS = Object.freeze({ 'content-type': 'application/json', ...UNCACHED });

export interface DirectAuthorizationEndpointNeeds extends Issuing {
  readonly json: JsonLimits;
}

/** Issues an access token for a subject and scopes without user interaction. */
export function directAuthorization(needs: DirectAuthorizationEndpointNeeds): Endpoint {
  const masters = masterTokens(needs.settings['direct-authorization.token-sha256']);
  return {
    contract,
    async handle({ headers, body, id }) {
      const master = requireOwnMasterToken(needs, masters, headers['authorization']);
      requireMediaType(headers['content-type'], 'application/json');
      const response = await authorizeDirectly(needs, parseJsonObject(body, needs.json), {
        actor: `master:${master.label}`,
        request_id: id,
      });
      return {
        status: 200,
        headers: HEADERS,
        body: JSON.stringify(response),
      };
    },
  };
}

function requireOwnMasterToken(
  { settings }: DirectAuthorizationEndpointNeeds,
  masters: readonly MasterToken[],
  authorization: string | undefined,
): MasterToken {
  if (masters.length === 0) throw insufficientScope(['direct-authorization']);
  const token = presentedBearer(authorization, settings['limits.bearer-token']);
  if (token === undefined) throw bearerTokenNeeded();
  const master = masterTokenOf(digestOf(token), masters);
  if (master === undefined) throw invalidToken();
  return master;
}
