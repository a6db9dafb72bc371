import { registeredScope } from '../../clients/registered-client.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { parseScope } from '../../spec/scope.ts';
import { AuthorizationError } from './authorization-error.ts';
import type { ResponseTarget } from './authorization-request.ts';

/** OpenID Connect Core §3.1.2.1, §5.4 and §11: what a client may ask for that registered no `scope`. */
const OPENID_SCOPE = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'] as const;

/**
 * What a client may ask for of what it asks for. OpenID Connect Core §3.1.2.1: "Scope values used that are not understood
 * by an implementation SHOULD be ignored"; so are those it is not registered for: the token response says what was granted.
 */
export function requestedScope(
  target: ResponseTarget,
  metadata: ClientMetadata,
  requested: string | undefined,
): readonly string[] {
  const allowed: readonly string[] = metadata.scope === undefined ? OPENID_SCOPE : registeredScope(metadata);
  // RFC 6749 §3.3: without one, "a pre-defined default value or … an invalid scope": who the person is, is asked for.
  const values = parseScope(requested ?? (metadata.scope === undefined ? '' : withoutOpenId(allowed)));
  if (values === undefined) throw new AuthorizationError(target, 'invalid_scope', 'scope is malformed');
  const granted = values.filter((value) => allowed.includes(value));
  if (granted.length === 0)
    throw new AuthorizationError(target, 'invalid_scope', 'the client is registered for nothing of scope');
  return granted;
}

const withoutOpenId = (scope: readonly string[]): string =>
  scope.filter((value) => value !== 'openid').join(' ');
