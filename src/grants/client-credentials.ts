import { registeredScope } from '../clients/registered-client.ts';
import { OAuthError, quotedValue } from '../spec/errors.ts';
import { memberOf, parseScope } from '../spec/scope.ts';
import { readAuthorizationDetails } from './authorization-details/read-details.ts';
import type { Grant } from './grant.ts';
import { issueToken } from './issue-token.ts';

/** Issues a token to a client that acts for itself, within its registered scope (RFC 6749 §4.4). */
export const clientCredentials: Grant = {
  grant_type: 'client_credentials',
  parameters: ['scope', 'authorization_details'],
  async handle(needs, client, parameters) {
    const authorization_details = readAuthorizationDetails(
      needs.detailTypes,
      client.metadata,
      parameters['authorization_details'],
    );
    // Details without scope ask for themselves, and not for the default scope too.
    const usual = authorization_details === undefined ? registeredScope(client.stored) : [];
    const scope = grantedScope(parameters['scope'], registeredScope(client.stored), usual);
    const issued = await issueToken(needs, client, {
      sub: client.stored.client_id,
      scope,
      resource: parameters['resource'],
      authorization_details,
    });
    return { ...issued, sub: undefined };
  },
};

/** Returns the requested scope; without a request, the default one (RFC 6749 §3.3). */
function grantedScope(
  requested: string | undefined,
  registered: readonly string[],
  usual: readonly string[],
): readonly string[] {
  if (requested === undefined) return usual;
  const values = parseScope(requested);
  if (values === undefined)
    throw new OAuthError('invalid_scope', {
      error_description: 'scope must be scope values separated by spaces',
      reason: 'scope-form',
      values: { scope: requested },
    });
  const isRegistered = memberOf(registered);
  const excess = values.find((value) => !isRegistered(value));
  if (excess !== undefined) {
    throw new OAuthError('invalid_scope', {
      error_description: `scope value ${quotedValue(excess)} is not registered for this client, registered: ${quotedValue(registered.join(' '))}`,
      reason: 'scope-not-registered',
      values: { scope: excess },
    });
  }
  return values;
}
