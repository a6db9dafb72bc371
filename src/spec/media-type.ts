import { OAuthError } from './errors.ts';

const PARAMETER = /^[ \t]*([A-Za-z0-9-]+)=(?:"([^"\\]*)"|([^\s"(),/:;<=>?@[\\\]{}]+))[ \t]*$/;

/**
 * Refuses a request whose body is not of the one type the endpoint reads (RFC 9110 §8.3). The type is compared
 * without regard to case; `charset=utf-8` is the only charset, and other parameters are ignored.
 * @throws OAuthError invalid_request
 */
export function requireMediaType(header: string | undefined, expected: string): void {
  if (header === undefined) throw wrongType(expected);
  if (header.length > 256) throw wrongType(expected);
  const [type, ...parameters] = header.split(';');
  if (type?.trim().toLowerCase() !== expected) throw wrongType(expected);
  for (const parameter of parameters) {
    if (parameter.trim() === '') continue;
    const match = PARAMETER.exec(parameter);
    if (match === null) throw wrongType(expected);
    const value = match[2] ?? match[3] ?? '';
    if (match[1]?.toLowerCase() === 'charset' && value.toLowerCase() !== 'utf-8') throw wrongType(expected);
  }
}

function wrongType(expected: string): OAuthError {
  return new OAuthError('invalid_request', {
    error_description: `Content-Type must be ${expected} in UTF-8`,
  });
}
