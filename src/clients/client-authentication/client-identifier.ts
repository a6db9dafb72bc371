import type { CredentialPlace } from './method.ts';

/**
 * `client_id` in the body and nothing that proves it: whoever names itself so is authenticated by the certificate of
 * the connection (RFC 8705 §2: "the client MUST include the client_id parameter"). A certificate beside other
 * credentials is no second way of authentication: tokens may be bound to it (RFC 8705 §3).
 */
export const clientIdentifier: CredentialPlace = {
  isUsed: ({ authorization, parameters }) =>
    authorization.scheme === 'none' &&
    parameters?.['client_id'] !== undefined &&
    parameters['client_secret'] === undefined &&
    parameters['client_assertion'] === undefined &&
    parameters['client_assertion_type'] === undefined,
  claim: ({ parameters }) => {
    const client_id = parameters?.['client_id'];
    return client_id === undefined ? undefined : { client_id, credential: '' };
  },
};
