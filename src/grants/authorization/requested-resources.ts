import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { OAuthError } from '../../spec/errors.ts';
import { audienceFor } from '../audience.ts';
import type { TokenSettings } from '../grant.ts';
import { AuthorizationError } from './authorization-error.ts';
import type { ResponseTarget } from './authorization-request.ts';

const RESOURCES_MAX = 10;

/** Returns the resources that the tokens of a request may be for (RFC 8707 §2.1); empty if the request names none. */
export function requestedResources(
  target: ResponseTarget,
  settings: Pick<TokenSettings, 'access-token.resources' | 'limits.uri-length'>,
  metadata: ClientMetadata,
  requested: string | undefined,
): readonly string[] {
  if (requested === undefined) return [];
  try {
    const resources = audienceFor(settings, metadata, requested);
    if (resources.length <= RESOURCES_MAX) return resources;
  } catch (failure) {
    if (!(failure instanceof OAuthError)) throw failure;
  }
  throw new AuthorizationError(
    target,
    'invalid_target',
    'resource names no resource server that tokens are issued for',
  );
}
