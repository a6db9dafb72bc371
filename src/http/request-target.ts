/** A target in absolute form, taken apart (RFC 9112 §3.2.2). */
export interface AbsoluteTarget {
  /** The authority: it replaces the header `Host`. */
  readonly host: string;
  /** The path and query as they were sent; `*` if an OPTIONS request has neither (RFC 9112 §3.2.4). */
  readonly target: string;
}

/**
 * Scheme, authority, and the rest. The authority has no user information: RFC 9110 §4.2.4 asks recipients to treat that
 * as an error. An empty host is invalid (RFC 9110 §4.2.1).
 */
const ABSOLUTE =
  /^https?:\/\/((?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]+)(?::[0-9]{0,5})?)((?:\/|\?).*)?$/i;

/** Reads a target in absolute form; returns undefined for every other form. */
export function absoluteTarget(target: string, method: string | undefined): AbsoluteTarget | undefined {
  const [, host, rest = ''] = ABSOLUTE.exec(target) ?? [];
  if (host === undefined) return undefined;
  if (rest === '') return { host, target: method === 'OPTIONS' ? '*' : '/' };
  return { host, target: rest.startsWith('?') ? `/${rest}` : rest };
}
