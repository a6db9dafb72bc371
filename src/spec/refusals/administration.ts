import { reason } from './reason.ts';

/** The reasons of refusals by the administration API that are no error codes of OAuth. */
export const ADMINISTRATION_REASONS = {
  unknown_parameter: reason(
    'The request has a parameter that the operation does not know. `detail` names it.',
    'Send only the parameters of the reference.',
  ),
  invalid_parameter: reason(
    'A parameter or header is not valid. `detail` names it, and what is allowed.',
    'Correct the parameter.',
  ),
  invalid_body: reason(
    'Members of the body are not valid. The answer lists them in `errors`.',
    'Correct the members. A dry run (`?dry_run=true`) changes nothing.',
  ),
  conflict: reason('The state of the resource does not permit the change.', 'Read the resource first.'),
  idempotency_key_in_use: reason(
    'A request with this `Idempotency-Key` is under way, or ended without an answer.',
    'Read the resource. If the change has not happened, send it with a new key.',
  ),
  idempotency_key_reused: reason(
    'The `Idempotency-Key` belongs to another request of the caller.',
    'Take a new key for each request.',
  ),
  precondition_failed: reason(
    'The resource has changed since the caller read it.',
    'Read it again, and send its new `ETag` in `If-Match`.',
  ),
  precondition_required: reason(
    'The request changes a resource and has no `If-Match`.',
    'Send the `ETag` of the resource in `If-Match`, or `*` for any version.',
  ),
  request_rejected: reason('The request is well-formed, and cannot be followed.', 'Read `detail`.'),
  range_not_satisfiable: reason(
    'The range begins beyond the end of the file.',
    'Read the size of the file, or download it from its beginning.',
  ),
  insufficient_storage: reason(
    'The disk of `backup.directory` has too little room for a backup.',
    'Make room, delete a backup, or set `backup.directory` to another disk.',
  ),
  'foreign-tenant': reason(
    'The token belongs to the default tenant, and may not administer another one.',
    'Use a token of the tenant, or one with the scope value `admin:all-tenants`.',
  ),
  'token-audience': reason(
    'The token is for another resource server.',
    'Ask for a token without `resource`, or with the issuer as resource.',
  ),
};
