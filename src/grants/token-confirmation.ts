import type { AuthenticatedClient } from '../clients/client-authentication/authenticate-client.ts';
import type { Settings } from '../config/settings.ts';
import { OAuthError } from '../spec/errors.ts';
import { type Confirmation, confirmationBy } from '../tokens/confirmation.ts';
import { type DpopNeeds, takeDpopProof } from '../tokens/dpop-proof.ts';

/**
 * Returns the keys that the access tokens of this request are bound to: the certificate of a client with
 * `tls_client_certificate_bound_access_tokens` (RFC 8705 §3.4), and the key of the request's DPoP proof (RFC 9449 §5). Undefined
 * for a bearer token.
 *
 * Takes the proof, which is good for one request. Call it after the grant of the request is found to be genuine, so that a stranger
 * causes no write, and before anything of the grant changes.
 * @throws OAuthError invalid_request or invalid_dpop_proof if a client that registered for bound tokens proves no key. RFC 8705
 * §3.4 lets the server decide "whether to return an error or issue an unbound token". An unbound token would break what the client
 * registered. RFC 9449 §5.2: "the authorization server MUST reject token requests from the client that do not contain the DPoP header"
 */
export async function tokenConfirmation(
  { dpop, settings }: { readonly dpop: DpopNeeds; readonly settings: Pick<Settings, 'access-token.binding'> },
  { metadata, certificate, proof }: AuthenticatedClient,
): Promise<Confirmation | undefined> {
  if (metadata['dpop_bound_access_tokens'] === true && proof === undefined)
    throw new OAuthError('invalid_dpop_proof', {
      error_description: 'the client has dpop_bound_access_tokens and must send a DPoP proof',
      reason: 'dpop-proof',
    });
  const isBoundToCertificate = metadata['tls_client_certificate_bound_access_tokens'] === true;
  if (isBoundToCertificate && certificate === undefined)
    throw new OAuthError('invalid_request', {
      error_description:
        'the client has tls_client_certificate_bound_access_tokens and must present its TLS certificate',
      reason: 'certificate-binding',
    });
  if (settings['access-token.binding'] === 'all-clients' && proof === undefined && !isBoundToCertificate)
    throw new OAuthError('invalid_dpop_proof', {
      error_description:
        'this server binds every access token: the request needs a DPoP proof, or the client tls_client_certificate_bound_access_tokens',
      reason: 'dpop-proof',
    });
  if (proof !== undefined) await takeDpopProof(dpop, proof);
  const byKey = proof === undefined ? undefined : { jkt: proof.jkt };
  return isBoundToCertificate && certificate !== undefined
    ? { ...confirmationBy(certificate), ...byKey }
    : byKey;
}
