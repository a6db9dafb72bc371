import { authorizeDirectly, type DirectAuthorizationNeeds } from '../../grants/direct-authorization.ts';
import { digestOf } from '../../keys/digest.ts';
import type { Digest } from '../../spec/identifiers.ts';
import { type JsonLimits, parseJsonObject } from '../../spec/json.ts';
import { requireMediaType } from '../../spec/media-type.ts';
import {
  bearerTokenNeeded,
  insufficientScope,
  invalidToken,
  isMasterToken,
  presentedBearer,
} from '../../tokens/bearer-token.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

export interface DirectAuthorizationEndpointNeeds extends DirectAuthorizationNeeds {
  /** Its own master tokens: those of the client registry do not open it. */
  readonly masterTokens: readonly Digest[];
  readonly bearerTokenLengthMax: number;
  readonly json: JsonLimits;
}

/** Issues an access token for a subject and scopes without user interaction. */
export function directAuthorization(needs: DirectAuthorizationEndpointNeeds): Endpoint {
  return {
    contract,
    async handle({ headers, body }) {
      requireOwnMasterToken(needs, headers['authorization']);
      requireMediaType(headers['content-type'], 'application/json');
      const response = await authorizeDirectly(needs, parseJsonObject(body, needs.json));
      return {
        status: 200,
        headers: { 'content-type': 'application/json', ...UNCACHED },
        body: JSON.stringify(response),
      };
    },
  };
}

function requireOwnMasterToken(
  needs: DirectAuthorizationEndpointNeeds,
  authorization: string | undefined,
): void {
  if (needs.masterTokens.length === 0) throw insufficientScope(['direct-authorization']);
  const token = presentedBearer(authorization, needs.bearerTokenLengthMax);
  if (token === undefined) throw bearerTokenNeeded();
  if (!isMasterToken(digestOf(token), needs.masterTokens)) throw invalidToken();
}
