import { OAuthError } from './errors.ts';
import { requireMediaType } from './media-type.ts';
import { asciiText, formDecode } from './percent-encoding.ts';

export interface FormLimits {
  readonly parameters: number;
}

/**
 * Parameter values by name, without a prototype. Empty values are absent (RFC 6749 §3.2). The values of a repeatable
 * parameter are joined by spaces, which no value contains.
 */
export type Parameters = { readonly [name: string]: string | undefined };

/** Refuses a request with parameters that cannot be read. The others are known. */
export class UnreadableParameters extends OAuthError {
  /** Names of the parameters that cannot be read; empty for one whose name cannot be read either. */
  readonly names: ReadonlySet<string>;
  readonly readable: Parameters;

  constructor(error_description: string, names: ReadonlySet<string>, readable: Parameters) {
    super('invalid_request', { error_description, reason: 'unreadable-parameter' });
    this.names = names;
    this.readable = readable;
  }
}

const NONE: Parameters = Object.freeze(Object.create(null));

/** An object without a prototype. This constructor costs a third of `Object.create(null)`, which makes a hash table. */
const Found = function () {} as unknown as new () => { [name: string]: string | undefined };
Found.prototype = Object.freeze(Object.create(null));

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Reads an `application/x-www-form-urlencoded` body (RFC 6749 §3.2: "Parameters sent without a value MUST be treated
 * as if they were omitted from the request … Request and response parameters MUST NOT be included more than once").
 * @param known parameters of the endpoint; others are ignored but must be well-formed
 * @param repeatable known parameters that a specification allows to repeat
 * @throws OAuthError invalid_request; `UnreadableParameters` if the other parameters are known
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

/** Reads the query component of a URL in the same way. */
export function parseParameters(
  text: string,
  known: ReadonlySet<string>,
  limits: FormLimits,
  repeatable: ReadonlySet<string> = NOTHING,
): Parameters {
  if (text === '') return NONE;
  const found = new Found();
  let faults: Fault[] | undefined;
  for (let begin = 0, count = 1; begin <= text.length; count += 1) {
    if (count > limits.parameters) throw malformed(`more than ${limits.parameters} parameters`);
    const end = placeOf('&', text, begin, text.length);
    const equals = placeOf('=', text, begin, end);
    const name = formDecode(text.slice(begin, equals));
    const value = formDecode(text.slice(equals + 1, end));
    begin = end + 1;
    const problem = keep(found, known, repeatable, name, value);
    if (problem !== undefined) (faults ??= []).push({ name: name ?? '', problem });
  }
  if (faults !== undefined) throw unreadable(faults, found);
  return found;
}

interface Fault {
  readonly name: string;
  readonly problem: string;
}

/** Keeps a known parameter. Returns its problem for the client instead; undefined if it can be read. */
function keep(
  found: { [name: string]: string | undefined },
  known: ReadonlySet<string>,
  repeatable: ReadonlySet<string>,
  name: string | undefined,
  value: string | undefined,
): string | undefined {
  if (name === undefined) return 'a parameter is not correctly encoded';
  const isKnown = known.has(name);
  if (value === undefined) return `${isKnown ? name : 'a parameter'} is not correctly encoded`;
  if (!isKnown) return undefined;
  if (repeatable.has(name)) {
    if (value.includes(' ')) return `${name} holds a space`;
    found[name] = together(found[name], value);
    return undefined;
  }
  if (name in found) return `${name} is given more than once`;
  found[name] = value === '' ? undefined : value;
  return undefined;
}

/** Leaves out a repeated parameter, because it is unclear which value counts. */
function unreadable(faults: readonly Fault[], found: Parameters): UnreadableParameters {
  const names = new Set(faults.map(({ name }) => name));
  const readable: { [name: string]: string | undefined } = Object.assign(new Found(), found);
  for (const name of names) if (name in readable) readable[name] = undefined;
  return new UnreadableParameters(faults[0]?.problem ?? '', names, readable);
}

/** Returns the index of the character from `begin` on and before `end`; otherwise `end`. */
function placeOf(character: string, text: string, begin: number, end: number): number {
  const place = text.indexOf(character, begin);
  return place === -1 || place > end ? end : place;
}

/** RFC 8707 §2: "Multiple resource parameters MAY be used". */
function together(before: string | undefined, value: string): string | undefined {
  if (value === '') return before;
  return before === undefined ? value : `${before} ${value}`;
}

function malformed(error_description: string): OAuthError {
  return new OAuthError('invalid_request', { error_description, reason: 'malformed-form' });
}
