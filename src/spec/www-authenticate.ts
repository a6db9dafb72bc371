import { SIGNING_ALGORITHMS } from './server-capabilities.ts';

/** RFC 6750 §3 allows %x20-21 / %x23-5B / %x5D-7E in attribute values. */
function quoted(value: string): string {
  return `"${value.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')}"`;
}

export interface BearerAttributes {
  readonly error?: string;
  readonly error_description?: string;
  readonly scope?: string;
  /** RFC 9728 §5.1. */
  readonly resource_metadata?: string;
}

/** Returns a Bearer challenge (RFC 6750 §3). Without attributes it answers a request without credentials. */
export function bearerChallenge(attributes: BearerAttributes = {}): string {
  return challenge('Bearer', attributes);
}

/** Returns a DPoP challenge with the algorithms of proofs (RFC 9449 §7.1). */
export function dpopChallenge(
  attributes: BearerAttributes = {},
  algorithms: readonly string[] = SIGNING_ALGORITHMS,
): string {
  return challenge('DPoP', { ...attributes, algs: algorithms.join(' ') });
}

function challenge(scheme: string, attributes: Readonly<Record<string, string>> | BearerAttributes): string {
  const parts = Object.entries(attributes).map(([name, value]) => `${name}=${quoted(String(value))}`);
  return parts.length === 0 ? scheme : `${scheme} ${parts.join(', ')}`;
}

/** Returns a Basic challenge (RFC 7617 §2). */
export function basicChallenge(realm: string): string {
  return `Basic realm=${quoted(realm)}, charset="UTF-8"`;
}
