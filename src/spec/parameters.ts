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

/** Inherits nothing. Made by a constructor it costs a third of what `Object.create(null)` does, which makes a hash table. */
const Found = function () {} as unknown as new () => { [name: string]: string | undefined };
Found.prototype = Object.freeze(Object.create(null));

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
  const found = new Found();
  for (let begin = 0, count = 1; begin <= text.length; count += 1) {
    if (count > limits.parameters) throw malformed(`more than ${limits.parameters} parameters`);
    const end = placeOf('&', text, begin, text.length);
    const equals = placeOf('=', text, begin, end);
    const name = formDecode(text.slice(begin, equals));
    const value = formDecode(text.slice(equals + 1, end));
    begin = end + 1;
    if (name === undefined || value === undefined) throw malformed('a parameter is not correctly encoded');
    if (!known.has(name)) continue;
    if (repeatable.has(name)) found[name] = together(name, found[name], value);
    else if (name in found) throw malformed(`${name} is given more than once`);
    else found[name] = value === '' ? undefined : value;
  }
  return found;
}

/** Where the character is, from `begin` on and before `end`; otherwise `end`. */
function placeOf(character: string, text: string, begin: number, end: number): number {
  const place = text.indexOf(character, begin);
  return place === -1 || place > end ? end : place;
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
