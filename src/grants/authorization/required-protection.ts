import { isAutomatic } from '../../clients/federated-client.ts';
import { metadataOf } from '../../clients/registered-client.ts';
import { excludedAlgorithm } from '../../clients/registration/accepted-values.ts';
import type { Settings } from '../../config/settings.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { RefusalReason } from '../../spec/refusal-reasons.ts';
import { RESPONSE_MODES } from '../../spec/server-capabilities.ts';
import { AuthorizationError, type ResponseMode, type ResponseTarget } from './authorization-request.ts';

type ProtectionSettings = Pick<
  Settings,
  | 'authorization.http-redirects'
  | 'authorization.pushed-requests'
  | 'authorization.response-modes'
  | 'authorization.signed-requests'
  | 'signatures.algorithms'
>;

/** How a request arrived. */
interface Arrived {
  readonly client: StoredClient;
  readonly signed: boolean;
  readonly pushed: boolean;
}

/**
 * Requires that a request was pushed or signed, where the settings, its client or a federation ask for that, and that its answer
 * can go the way that it asks for. The redirection URI is proven.
 * @throws AuthorizationError
 */
export function requireProtection(
  settings: ProtectionSettings,
  target: ResponseTarget,
  { client, signed, pushed }: Arrived,
): void {
  requireOfferedMode(settings, target, client);
  const refuse = (words: string, reason: RefusalReason): never => {
    throw new AuthorizationError(target, 'invalid_request', words, { reason });
  };
  const { require_pushed_authorization_requests, require_signed_request_object } = metadataOf(client);
  if (settings['authorization.pushed-requests'] === 'all-clients' && !pushed)
    refuse('clients of this server must push their requests (RFC 9126)', 'pushed-request-needed');
  if (require_pushed_authorization_requests === true && !pushed)
    refuse(
      'the client must push its requests: it registered require_pushed_authorization_requests',
      'pushed-request-needed',
    );
  if (settings['authorization.signed-requests'] === 'all-clients' && !signed)
    refuse(
      'clients of this server must sign their requests: a request object must be in request (RFC 9101)',
      'signed-request-needed',
    );
  if (require_signed_request_object === true && !signed)
    refuse(
      'the client must sign its requests: it registered require_signed_request_object',
      'signed-request-needed',
    );
  if (isAutomatic(client) && !signed && !pushed)
    refuse('the client must sign its requests or push them', 'pushed-request-needed');
  requireServableClient(settings, target, client);
}

/** Refuses a client whose registration is from before the settings, and which the server could not answer as it registered. */
function requireServableClient(
  settings: ProtectionSettings,
  target: ResponseTarget,
  client: StoredClient,
): void {
  const metadata = metadataOf(client);
  const isHttp = target.device === undefined && target.redirect_uri.startsWith('http://');
  const problem =
    settings['authorization.http-redirects'] === 'native' && isHttp && metadata.application_type !== 'native'
      ? 'redirect_uri must use https; http is allowed for loopback hosts of native clients only'
      : excludedAlgorithm(metadata, settings['signatures.algorithms']);
  if (problem === undefined) return;
  throw new AuthorizationError(target, 'unauthorized_client', problem, { reason: 'client-does-not-fit' });
}

/** Requires a response mode that the settings offer and the client may use (FAPI 2.0 Message Signing §5.3.3 and §5.4.1). */
function requireOfferedMode(
  settings: ProtectionSettings,
  target: ResponseTarget,
  client: StoredClient,
): void {
  const { response_modes: registered } = metadataOf(client);
  const own = registered as readonly string[] | undefined;
  const offered = settings['authorization.response-modes'];
  const allowed = own === undefined ? offered : offered.filter((mode) => own.includes(mode));
  if (allowed.length === RESPONSE_MODES.length) return;
  const { response_mode } = target;
  if (allowed.some((mode) => mode === response_mode || isDefaultJwt(mode, response_mode))) return;
  const answer = allowed.includes('jwt')
    ? 'query.jwt'
    : RESPONSE_MODES.find((mode) => allowed.includes(mode));
  throw new AuthorizationError(
    answer === undefined ? target : { ...target, response_mode: answer as ResponseMode },
    'invalid_request',
    allowed.length > 0
      ? `response_mode ${response_mode} is not accepted, accepted: ${allowed.join(', ')}`
      : `response_mode ${response_mode} is not accepted, and no other of the registered response_modes is; this server accepts ${offered.join(', ')}`,
    { reason: 'response-mode', values: { response_mode } },
  );
}

/** JARM §2.3.4: `jwt` stands for the signed form of the default mode, which the request was read with. */
const isDefaultJwt = (allowed: string, mode: ResponseMode): boolean =>
  allowed === 'jwt' && (mode === 'query.jwt' || mode === 'fragment.jwt');
