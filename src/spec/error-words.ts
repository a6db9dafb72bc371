import type { ErrorCode } from './errors.ts';

/** The cause of an error code, and the act of the client that mends it. */
export interface ErrorWords {
  readonly means: string;
  readonly remedy: string;
}

const PAGE = 'Let the end-user see the pages: send no `prompt=none`.';

/** Says of each error code why it comes. The log has the narrower reason (docs/reference/refusals.md). */
export const ERROR_WORDS: Readonly<Record<ErrorCode, ErrorWords>> = {
  invalid_request: {
    means:
      'A parameter or member is missing, repeated, malformed or not known, or the body has another media type.',
    remedy: 'Read `error_description`: it names the parameter and what is allowed.',
  },
  invalid_client: {
    means: 'The client is not known, or its credentials are missing or wrong.',
    remedy: 'Authenticate with the method and the secret of the last registration answer.',
  },
  invalid_grant: {
    means:
      'The code, refresh token, password or assertion is wrong, expired, used, revoked, or belongs to another client.',
    remedy:
      'Begin the sign-in again. Send the same `redirect_uri` and `code_verifier` as in the request for the code.',
  },
  unauthorized_client: {
    means:
      'The client is not registered for this grant. In a federation: the statement or its trust chain is not valid.',
    remedy:
      'Add the grant type to the registration. In a federation, let the operator run `chancery federation resolve`.',
  },
  unsupported_grant_type: {
    means: 'The server does not offer this grant.',
    remedy: 'Use a grant of `grant_types_supported` in the metadata of the server.',
  },
  authorization_pending: {
    means: 'The end-user has not answered the request of the device or the client yet.',
    remedy: 'Ask again after `interval` seconds.',
  },
  slow_down: {
    means: 'The device or the client asks for its tokens too often.',
    remedy: 'Wait 5 seconds longer between the requests from now on.',
  },
  unknown_user_id: {
    means: 'The hint of a backchannel request names no person of this server.',
    remedy: 'Send an ID token that this server issued to the client, or a login_hint.',
  },
  invalid_binding_message: {
    means: 'The `binding_message` is too long, or has characters that a page cannot show.',
    remedy: 'Send a short text, such as an order number.',
  },
  invalid_authorization_details: {
    means:
      'The `authorization_details` have an unknown type, break the schema of their type, or ask for more than was granted.',
    remedy: 'Correct the object that `error_description` names. Register the client for the type.',
  },
  expired_token: {
    means: 'The device code, or the backchannel request, has expired before the end-user answered.',
    remedy: 'Begin again. A device shows its new code.',
  },
  invalid_dpop_proof: {
    means: 'The DPoP proof does not fit the request or its key, was used before, is too old, or is missing.',
    remedy: 'Read `error_description`. Sign a new proof for each request.',
  },
  use_dpop_nonce: {
    means: 'The server wants its nonce in each DPoP proof, and this proof has none or an old one.',
    remedy: 'Repeat the request with a new proof that has the value of the `DPoP-Nonce` header as `nonce`.',
  },
  invalid_scope: {
    means: 'The scope is malformed, or wider than the registration or the grant.',
    remedy: 'Ask for less, or register the scope values.',
  },
  invalid_target: {
    means: 'The `resource` is malformed, or not one that the server issues tokens for.',
    remedy: 'Send the identifier of the resource server as its metadata have it.',
  },
  unsupported_response_type: {
    means: 'The server or the client does not have this `response_type`.',
    remedy: 'Use `code`, and register it.',
  },
  server_error: {
    means: 'A fault of the server.',
    remedy: 'Retry later. The operator finds the cause in the log by the time and the request id.',
  },
  temporarily_unavailable: {
    means: 'A limit is reached, or the server cannot store or fetch something now.',
    remedy: 'Wait for the seconds of `Retry-After`, then retry.',
  },
  interaction_required: {
    means: 'The end-user must see a page, and `prompt=none` forbids it.',
    remedy: PAGE,
  },
  login_required: { means: 'The end-user must sign in, and `prompt=none` forbids it.', remedy: PAGE },
  account_selection_required: {
    means: 'The end-user must choose an account, and `prompt=none` forbids it.',
    remedy: PAGE,
  },
  consent_required: { means: 'The end-user must consent, and `prompt=none` forbids it.', remedy: PAGE },
  invalid_request_uri: {
    means: 'The `request_uri` is not registered, has expired, was used, or its document is not usable.',
    remedy: 'Push the request again, or register the address in `request_uris`.',
  },
  invalid_request_object: {
    means: 'The request object has a wrong signature, key, audience, time or content.',
    remedy: 'Sign it with a registered key, with `iss` the client and `aud` the issuer.',
  },
  request_uri_not_supported: {
    means: 'The server does not fetch request objects.',
    remedy: 'Push the request to the pushed authorization request endpoint.',
  },
  registration_not_supported: {
    means: 'The request has the parameter `registration`, for a server that issues its own identity.',
    remedy: 'Leave the parameter out.',
  },
  unmet_authentication_requirements: {
    means: 'The end-user cannot sign in with the required `acr`.',
    remedy: 'Ask for an `acr` of `acr_values_supported`, or ask for it as voluntary.',
  },
  access_denied: {
    means: 'The end-user refused. At introspection: the caller lacks the scope for it.',
    remedy: 'Offer the end-user to try again. Register the introspection scope for the caller.',
  },
  invalid_token: {
    means: 'The bearer token is missing, wrong, expired, revoked, or not for this address.',
    remedy:
      'Send `Authorization: Bearer …` with a valid token. An initial access token works once, and an update replaces the registration access token.',
  },
  insufficient_scope: {
    means: 'The token is valid, and does not permit this request.',
    remedy: 'Get a token with the scope values that `WWW-Authenticate` names.',
  },
  invalid_redirect_uri: {
    means: 'A redirection URI is missing, malformed or forbidden.',
    remedy:
      'Use https, no fragment and no wildcard; http for loopback hosts only. `error_description` names the index.',
  },
  invalid_client_metadata: {
    means: 'A member of the metadata breaks a rule.',
    remedy: 'Send the same registration with `?dry_run=true`: the answer lists every mistake.',
  },
  invalid_software_statement: {
    means: 'The software statement has a wrong signature, issuer or time.',
    remedy: 'Get a new statement from its issuer.',
  },
  unapproved_software_statement: {
    means: 'The server does not trust the issuer of the statement, or needs a statement.',
    remedy: 'Ask the operator about `registration.software-statement-issuers`.',
  },
  invalid_trust_chain: {
    means: 'No trust chain leads from the relying party to a trust anchor.',
    remedy: 'Check the statements of the superiors; `chancery federation resolve` shows each step.',
  },
  invalid_trust_anchor: {
    means: 'The server does not trust the anchor of the chain.',
    remedy: 'Join a federation of `trust_anchor_hints`, or ask the operator.',
  },
  invalid_metadata: {
    means: 'The metadata does not meet the policy of the federation.',
    remedy: 'Change the metadata, or ask the superior about its policy.',
  },
  federation_not_enabled: {
    means: 'The server takes part in no federation.',
    remedy: 'Register at `POST /clients`.',
  },
};
