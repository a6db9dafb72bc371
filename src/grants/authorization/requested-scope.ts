import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { grantableScope } from '../end-user-scope.ts';
import { AuthorizationError } from './authorization-error.ts';
import type { Target } from './response-target.ts';

/** Returns the part of the requested scope that the client may have if its end-user consents. */
export function requestedScope(
  target: Target,
  metadata: ClientMetadata,
  requested: string | undefined,
): readonly string[] {
  const offline = target.response_type.includes('code') && metadata.grant_types.includes('refresh_token');
  const granted = grantableScope(metadata, requested, offline);
  if (granted === undefined) throw new AuthorizationError(target, 'invalid_scope', 'scope is malformed');
  if (granted.length === 0)
    throw new AuthorizationError(target, 'invalid_scope', 'the client is registered for nothing of scope');
  return granted;
}
