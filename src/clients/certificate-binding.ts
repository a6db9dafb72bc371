import { OAuthError } from '../spec/errors.ts';
import { type Confirmation, confirmationBy } from '../tokens/confirmation.ts';
import type { AuthenticatedClient } from './client-authentication/authenticate-client.ts';

/**
 * What the access tokens of this request are bound to: the certificate it came with, for a client that is registered
 * with `tls_client_certificate_bound_access_tokens` (RFC 8705 §3.4); undefined for every other client.
 * @throws OAuthError invalid_request where such a client shows no certificate. RFC 8705 §3.4 leaves it to the server
 * "whether to return an error or issue an unbound token": an unbound one is what the client asked not to get.
 */
export function tokenConfirmation({ metadata, certificate }: AuthenticatedClient): Confirmation | undefined {
  if (metadata['tls_client_certificate_bound_access_tokens'] !== true) return undefined;
  if (certificate !== undefined) return confirmationBy(certificate);
  throw new OAuthError('invalid_request', {
    error_description: 'access tokens of this client are bound to its certificate, and none was presented',
  });
}
