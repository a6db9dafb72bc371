import { reason } from './reason.ts';

const AGAIN = 'Retry after the seconds in Retry-After.';
const DETAIL = '`detail` says what is wrong.';

/** The reasons of refusals without a narrower one: the error code that the client receives. */
export const CODE_REASONS = {
  invalid_request: reason(`The request is wrong. ${DETAIL}`, 'Correct the request.'),
  invalid_client: reason(`The client is not authenticated. ${DETAIL}`, 'Check the credentials.'),
  invalid_grant: reason(`The code, the token or the assertion is not valid. ${DETAIL}`, 'Ask for a new one.'),
  unauthorized_client: reason(`The client may not do this. ${DETAIL}`, 'Change the registration.'),
  unsupported_grant_type: reason('The server does not offer this grant type.', 'Use one from discovery.'),
  invalid_scope: reason(`The scope is wrong. ${DETAIL}`, 'Ask for registered values.'),
  invalid_target: reason(
    `The resource is wrong. ${DETAIL}`,
    'Ask for an allowed resource.',
    'access-token.resources',
  ),
  invalid_authorization_details: reason(
    `The authorisation details are wrong. ${DETAIL}`,
    'Correct the object that `error_description` names.',
    'authorization-details.types',
  ),
  invalid_dpop_proof: reason(`The DPoP proof is wrong. ${DETAIL}`, 'Sign a new proof for the request.'),
  use_dpop_nonce: reason('The DPoP proof needs a nonce.', 'Use the one of `DPoP-Nonce`.', 'dpop.nonces'),
  authorization_pending: reason(
    'The person has not answered the device or the client yet.',
    'Wait, and ask again.',
  ),
  slow_down: reason(
    'A device or a client asks for its tokens too often.',
    'Wait for `interval` seconds, and 5 more after each `slow_down`.',
    'device.interval',
  ),
  expired_token: reason(
    'The person has not answered the device or the client in time.',
    'Begin again.',
    'device.code-lifetime',
  ),
  unknown_user_id: reason(
    'The hint of a backchannel request names no person.',
    'Send a hint of a person who has an account.',
  ),
  invalid_binding_message: reason(
    'The binding message of a backchannel request cannot be shown.',
    'Send a short text.',
  ),
  unsupported_response_type: reason(
    'The server does not offer this response type.',
    'Use one from discovery.',
  ),
  server_error: reason(`The server failed. ${DETAIL}`, 'Report it to the operator.'),
  temporarily_unavailable: reason(`The server cannot decide now. ${DETAIL}`, AGAIN, 'outbound.fetches'),
  interaction_required: reason('A page would be necessary.', 'Repeat the request without `prompt=none`.'),
  login_required: reason('The end-user must sign in.', 'Repeat the request without `prompt=none`.'),
  account_selection_required: reason(
    'The end-user must choose an account.',
    'Repeat the request without `prompt=none`.',
  ),
  consent_required: reason('The end-user must consent.', 'Repeat the request without `prompt=none`.'),
  invalid_request_uri: reason(`The request_uri is wrong. ${DETAIL}`, 'Send a valid one.'),
  invalid_request_object: reason(`The request object is not valid. ${DETAIL}`, 'Correct the object.'),
  request_uri_not_supported: reason('The server takes no request_uri of clients.', 'Push the request.'),
  registration_not_supported: reason(
    'Clients register before their first request.',
    'Leave `registration` out.',
  ),
  unmet_authentication_requirements: reason(
    'The end-user did not sign in in the way that the request requires.',
    'Ask for a class in `acr_values_supported`.',
  ),
  access_denied: reason(`The caller or the end-user was denied. ${DETAIL}`, 'Check scope and consent.'),
  invalid_token: reason(`The bearer token is not valid. ${DETAIL}`, 'Ask for a new one.'),
  insufficient_scope: reason(`The token lacks a scope. ${DETAIL}`, 'Ask for a token with that scope.'),
  invalid_redirect_uri: reason(
    `A redirect URI of a registration is not acceptable. ${DETAIL}`,
    'Register an https URI; http is for loopback hosts, and private schemes are for native clients.',
  ),
  invalid_client_metadata: reason(
    `A member of a registration is not acceptable. ${DETAIL}`,
    'Correct the member. A dry run (`?dry_run=true`) shows the result without registering.',
  ),
  invalid_software_statement: reason(
    `The software statement is not valid. ${DETAIL}`,
    'Ask its issuer for a new one.',
  ),
  unapproved_software_statement: reason(
    'The issuer, or the software, of the statement is not approved.',
    'The operator configures both.',
    'registration.software-statement-issuers',
  ),
  invalid_trust_chain: reason(
    `No trust chain of the entity is valid. ${DETAIL}`,
    '`chancery federation resolve` shows each step.',
    'federation.trust-anchors',
  ),
  invalid_trust_anchor: reason(
    'No trust chain of the entity ends at a configured trust anchor.',
    'Add an authority hint that leads to one.',
    'federation.trust-anchors',
  ),
  invalid_metadata: reason(`The metadata of the entity breaks a policy. ${DETAIL}`, 'Correct the metadata.'),
  federation_not_enabled: reason(
    'Federation is off.',
    'The operator can switch it on.',
    'federation.enabled',
  ),
  not_found: reason(
    'There is no such client or page.',
    'Check the identifier. Only a master token learns that a client does not exist.',
  ),
  too_many_requests: reason(
    'A limit is reached: for the network of the caller, for all callers, or for sign-ins. `value` may name it.',
    AGAIN,
    'registration.open-rate-per-network',
    'interaction.rate-per-network',
    'listen.trusted-proxies',
  ),
} as const;
