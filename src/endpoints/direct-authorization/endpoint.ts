import {
  authorizeDirectly,
  type DirectAuthorizationNeeds,
} from '../../grants/direct-authorization/authorize-directly.ts';
import { digestOf } from '../../keys/digest.ts';
import { type JsonLimits, parseJsonObject } from '../../spec/json.ts';
import { requireMediaType } from '../../spec/media-type.ts';
import {
  bearerTokenNeeded,
  insufficientScope,
  invalidToken,
  type MasterToken,
  masterTokenOf,
  presentedBearer,
} from '../../tokens/bearer-token.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

const HEADERS = Object.freeze({ 'content-type': 'application/json', ...UNCACHED });

export interface DirectAuthorizationEndpointNeeds extends DirectAuthorizationNeeds {
  /** Its own master tokens: those of the client registry do not open it. */
  readonly masterTokens: readonly MasterToken[];
  readonly bearerTokenLengthMax: number;
  readonly json: JsonLimits;
}

/** Issues an access token for a subject and scopes without user interaction. */
export function directAuthorization(needs: DirectAuthorizationEndpointNeeds): Endpoint {
  return {
    contract,
    async handle({ headers, body, id }) {
      const master = requireOwnMasterToken(needs, headers['authorization']);
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
  needs: DirectAuthorizationEndpointNeeds,
  authorization: string | undefined,
): MasterToken {
  if (needs.masterTokens.length === 0) throw insufficientScope(['direct-authorization']);
  const token = presentedBearer(authorization, needs.bearerTokenLengthMax);
  if (token === undefined) throw bearerTokenNeeded();
  const master = masterTokenOf(digestOf(token), needs.masterTokens);
  if (master === undefined) throw invalidToken();
  return master;
}
