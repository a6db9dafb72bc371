import { parseUri } from './uri.ts';

/** Characters. The identifier stands in each of the client's tokens, and on pages. */
const LENGTH_MAX = 512;

/** Says whether a client identifier could be the URL of a document. Identifiers that this server makes never are. */
export const looksLikeClientIdUrl = (client_id: string): boolean => /^https?:\/\//u.test(client_id);

/**
 * Returns why a text is not a Client Identifier URL (draft-ietf-oauth-client-id-metadata-document-02 §3), as words that follow
 * it; undefined for one. A query is allowed, because it only "SHOULD NOT" be there. URLs are compared letter by letter.
 * @param allowHttp whether http is accepted, for development
 */
export function clientIdUrlProblem(text: string, allowHttp: boolean): string | undefined {
  if (text.length > LENGTH_MAX) return `must have at most ${LENGTH_MAX} characters`;
  if (text.includes('#')) return 'must not have a fragment';
  if (/^[^/?]*\/\/[^/?]*@/u.test(text)) return 'must not have a user name or a password';
  const uri = parseUri(text);
  if (uri?.http === undefined)
    return 'must be a URL that all parsers read alike, with an international host in punycode';
  if (uri.scheme !== 'https' && !allowHttp) return 'must use https';
  const path = pathOf(text);
  if (path === '') return 'must have a path';
  if (path.split('/').some(isDotSegment)) return 'must not have the path segments . or ..';
  return undefined;
}

/** Returns the path as it is written: parsers resolve dot segments. */
const pathOf = (text: string): string => text.replace(/^[^:]*:\/\/[^/?]*/u, '').replace(/\?.*$/u, '');

/** Parsers read `%2e` as a dot. */
const isDotSegment = (segment: string): boolean => /^(?:\.|%2e){1,2}$/iu.test(segment);

/** Returns the host of a Client Identifier URL without its port, in lower case; international names are in punycode. */
export const hostOfClientId = (client_id: string): string => parseUri(client_id)?.http?.host ?? '';

/** Matches `example.com`, and `*.example.com` for every name below it. Host names are in lower case. */
export const HOST_PATTERN =
  /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;

/** Says whether one of the patterns names the host. A pattern with `*.` names all hosts below its name, not the name itself. */
export function namesHost(patterns: readonly string[], host: string): boolean {
  return patterns.some((pattern) =>
    pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern,
  );
}
