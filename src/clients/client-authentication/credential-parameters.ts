import type { Parameters } from '../../spec/parameters.ts';

/** Parameters of the body that hold what a client authenticates with. */
const CREDENTIAL_PARAMETERS = ['client_secret', 'client_assertion', 'client_assertion_type'] as const;

/** Parameters by which a client may authenticate in the body, or say who it is. */
export const AUTHENTICATION_PARAMETERS = ['client_id', ...CREDENTIAL_PARAMETERS] as const;

/** Whether the body tries to authenticate a client, whatever the header does. */
export function bodyAuthenticates(parameters: Parameters | undefined): boolean {
  return CREDENTIAL_PARAMETERS.some((name) => parameters?.[name] !== undefined);
}
