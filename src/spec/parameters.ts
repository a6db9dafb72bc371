import { OAuthError } from './errors.ts';
import { requireMediaType } from './media-type.ts';
import { asciiText, formDecode } from './percent-encoding.ts';

export interface FormLimits {
  readonly parameters: number;
}

/**
 * Parameter values by name; no prototype. Empty values are absent, as RFC 6749 §3.2 wants them. Of a parameter that may be
 * repeated the values stand in one text, separated by spaces: none of them holds one.
 */
export type Parameters = { readonly [name: string]: string | undefined };

const NONE: Parameters = Object.freeze(Object.create(null));
const NOTHING: ReadonlySet<string> = new Set();

/**
 * Reads an `application/x-www-form-urlencoded` body (RFC 6749 §3.2: "Parameters sent without a value MUST be treated
 * as if they were omitted from the request … Request and response parameters MUST NOT be included more than once").
 * @param known parameters of the endpoint; others are ignored, but must be well-formed all the same.
 * @param repeatable those of them that another specification lets be repeated.
 * @throws OAuthError invalid_request
 */
export function parseForm(
  contentType: string | undefined,
  body: Uint8Array,
  known: ReadonlySet<string>,
  limits: FormLimits,
  repeatable: ReadonlySet<string> = NOTHING,
): Parameters {
  if (contentType !== 'application/x-www-form-urlencoded') {
    requireMediaType(contentType, 'application/x-www-form-urlencoded');
  }
  const text = asciiText(body);
  if (text === undefined) throw malformed('the body is not application/x-www-form-urlencoded');
  return parseParameters(text, known, limits, repeatable);
}

/** The same for the query component of a URL. */
export function parseParameters(
  text: string,
  known: ReadonlySet<string>,
  limits: FormLimits,
  repeatable: ReadonlySet<string> = NOTHING,
): Parameters {
  if (text === '') return NONE;
  const found: { [name: string]: string | undefined } = Object.create(null);
  const pairs = text.split('&', limits.parameters + 1);
  if (pairs.length > limits.parameters) throw malformed(`more than ${limits.parameters} parameters`);
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = formDecode(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : formDecode(pair.slice(equals + 1));
    if (name === undefined || value === undefined) throw malformed('a parameter is not correctly encoded');
    if (!known.has(name)) continue;
    if (repeatable.has(name)) found[name] = together(name, found[name], value);
    else if (name in found) throw malformed(`${name} is given more than once`);
    else found[name] = value === '' ? undefined : value;
  }
  return found;
}

/** RFC 8707 §2: "Multiple resource parameters MAY be used". */
function together(name: string, before: string | undefined, value: string): string | undefined {
  if (value.includes(' ')) throw malformed(`${name} holds a space`);
  if (value === '') return before;
  return before === undefined ? value : `${before} ${value}`;
}

function malformed(error_description: string): OAuthError {
  return new OAuthError('invalid_request', { error_description });
}
