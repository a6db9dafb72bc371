import { parseUri } from '../../spec/uri.ts';
import { AuthorizationError } from './authorization-error.ts';
import type { ResponseTarget } from './authorization-request.ts';

const RESOURCES_MAX = 10;

/** RFC 8707 §2: "absolute URI … MUST NOT include a fragment component". */
export function requestedResources(
  target: ResponseTarget,
  requested: string | undefined,
  allowed: readonly string[],
): readonly string[] {
  if (requested === undefined) return [];
  const resources = [...new Set(requested.split(' '))];
  const isServed = (resource: string): boolean =>
    parseUri(resource)?.hasFragment === false && (allowed.length === 0 || allowed.includes(resource));
  if (resources.length > RESOURCES_MAX || !resources.every(isServed))
    throw new AuthorizationError(
      target,
      'invalid_target',
      'resource names no resource server that tokens are issued for',
    );
  return resources;
}
