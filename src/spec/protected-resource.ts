/** RFC 9728 §3: the place of the metadata, before the path of the resource. */
export const PROTECTED_RESOURCE_PATH = '/.well-known/oauth-protected-resource';

/** Returns the address of the metadata of a resource. */
export function protectedResourceUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${PROTECTED_RESOURCE_PATH}${pathname}`;
}

/** Returns the identifier of the administration API of an issuer as a resource (RFC 8707). */
export const administrationResource = (issuer: string): string => `${issuer}/admin/v1`;

/** Returns the identifier of the UserInfo endpoint of an issuer as a resource. */
export const userinfoResource = (issuer: string): string => `${issuer}/userinfo`;
