import { identifyClient } from '../../clients/client-authentication/authenticate-client.ts';
import type { AuthenticationNeeds } from '../../clients/client-authentication/method.ts';
import { originOf } from '../../clients/person-event.ts';
import { type RevocationNeeds, revokeToken } from '../../grants/revoke-token.ts';
import { OAuthError } from '../../spec/errors.ts';
import { type FormLimits, parseForm } from '../../spec/parameters.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

export interface RevocationEndpointNeeds extends RevocationNeeds {
  readonly authentication: AuthenticationNeeds;
  readonly form: FormLimits;
}

/**
 * Revokes a token. Reads the form first, because it may hold the client's credentials. Ignores `token_type_hint`, because a
 * token shows its own type (RFC 7009 §2.1: the server MAY ignore it).
 */
export function revocation(needs: RevocationEndpointNeeds): Endpoint {
  return {
    contract,
    async handle(request) {
      const { headers, body, clientCertificate, remoteAddress } = request;
      const parameters = parseForm(headers['content-type'], body, contract.parameters.names, needs.form);
      const { authorization } = headers;
      const client = await identifyClient(needs.authentication, {
        authorization,
        parameters,
        certificate: clientCertificate,
        remoteAddress,
      });
      const token = parameters['token'];
      if (token === undefined)
        throw new OAuthError('invalid_request', {
          error_description: 'token is missing',
          reason: 'missing-parameter',
        });
      await revokeToken(needs, client, token, originOf(request));
      // RFC 7009 §2.2: "The content of the response body is ignored by the client".
      return { status: 200, headers: UNCACHED };
    },
  };
}
