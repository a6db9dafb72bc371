import { OAuthError } from './errors.ts';

const PARAMETER = /^[ \t]*([A-Za-z0-9-]+)=(?:"([^"\\]*)"|([^\s"(),/:;<=>?@[\\\]{}]+))[ \t]*$/;

const UTF_8: ReadonlySet<string> = new Set(['utf-8']);

/** Charsets in which a form is the same text: it is US-ASCII. Apache HttpClient 5 sends `charset=ISO-8859-1` by default. */
const OF_FORMS: ReadonlySet<string> = new Set(['utf-8', 'iso-8859-1', 'us-ascii']);

/**
 * Refuses a request body of a type that the endpoint does not read (RFC 9110 §8.3). Ignores case and all parameters except
 * `charset`, which must be `utf-8`, or for a form one in which US-ASCII is the same.
 * @returns the type of the body
 * @throws OAuthError invalid_request
 */
export function requireMediaType<Type extends string>(
  header: string | undefined,
  ...expected: readonly Type[]
): Type {
  if (header === undefined) throw wrongType(expected);
  if (header.length > 256) throw wrongType(expected);
  const [type = '', ...parameters] = header.split(';');
  const found = expected.find((one) => one === type.trim().toLowerCase());
  if (found === undefined) throw wrongType(expected);
  const charsets = found === 'application/x-www-form-urlencoded' ? OF_FORMS : UTF_8;
  for (const parameter of parameters) {
    if (parameter.trim() === '') continue;
    const match = PARAMETER.exec(parameter);
    if (match === null) throw wrongType(expected);
    const value = match[2] ?? match[3] ?? '';
    if (match[1]?.toLowerCase() === 'charset' && !charsets.has(value.toLowerCase()))
      throw wrongType(expected);
  }
  return found;
}

function wrongType(expected: readonly string[]): OAuthError {
  return new OAuthError('invalid_request', {
    error_description: `Content-Type must be ${expected.join(' or ')} in UTF-8`,
    reason: 'media-type',
  });
}
