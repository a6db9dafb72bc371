import { authorizeDirectly } from '../../grants/direct-authorization/authorize-directly.ts';
import type { Issuing } from '../../grants/grant.ts';
import { type JsonLimits, parseJsonObject } from '../../spec/json.ts';
import { requireMediaType } from '../../spec/media-type.ts';
import { insufficientScope, masterTokens, presentedMaster } from '../../tokens/bearer-token.ts';
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
      // Its tokens cannot be bound to a key. The rule about the two settings does not see the token of the development mode.
      const isOff = masters.length === 0 || needs.settings['access-token.binding'] === 'all-clients';
      if (isOff) throw insufficientScope(['direct-authorization']);
      const { authorization } = headers;
      const master = presentedMaster(masters, authorization, needs.settings['limits.bearer-token']);
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
