import type { JsonValue } from './json.ts';

/** A subject identifier (RFC 9493 §3), or a complex one (OpenID Shared Signals Framework 1.0 §3.3). */
export type SubjectIdentifier = { readonly format: string; readonly [member: string]: JsonValue };

/** The formats whose members are known, with the members that each needs (RFC 9493 §3.2, OpenID Shared Signals Framework 1.0 §3.5). */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  account: ['uri'],
  email: ['email'],
  iss_sub: ['iss', 'sub'],
  opaque: ['id'],
  phone_number: ['phone_number'],
  did: ['url'],
  uri: ['uri'],
  jwt_id: ['iss', 'jti'],
  saml_assertion_id: ['issuer', 'assertion_id'],
};

const COMPLEX = 'complex';

export const isObject = (value: JsonValue | undefined): value is { readonly [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the members of a complex subject that identify something. */
export const partsOf = ({
  format,
  ...members
}: SubjectIdentifier): readonly (readonly [string, JsonValue])[] =>
  format === COMPLEX ? Object.entries(members) : [];

/**
 * Returns why this is no subject identifier, as words that follow its name; undefined if it is one. Formats that are not known
 * here are refused: an event could never have them.
 */
export function subjectFault(value: JsonValue | undefined, mayBeComplex = true): string | undefined {
  if (!isObject(value)) return 'must be an object with a format (RFC 9493 §3)';
  const { format, ...members } = value;
  if (format === COMPLEX && mayBeComplex) {
    const parts = Object.entries(members);
    if (parts.length === 0) return 'must have a member, such as user or session, beside its format complex';
    for (const [name, part] of parts) {
      const fault = subjectFault(part, false);
      if (fault !== undefined) return `has a member ${name} that ${fault}`;
    }
    return undefined;
  }
  const needed = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (needed === undefined)
    return `must have one of the formats ${Object.keys(FORMATS).join(', ')}${mayBeComplex ? `, ${COMPLEX}` : ''}`;
  const missing = needed.find((name) => typeof members[name] !== 'string' || members[name] === '');
  return missing === undefined
    ? undefined
    : `must have a text ${missing} with the format ${format as string}`;
}

/** Returns one text for all spellings of a JSON value: members in the order of their names. */
export function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null)}`);
  return `{${members.join(',')}}`;
}

/**
 * Says whether a subject that a client left out covers the subject of an event: each of its members is one of the event's. The
 * wildcards of OpenID Shared Signals Framework 1.0 §8.1.3.1 are for subjects that are added. Here they would leave out far more than
 * what was named: one session would stand for every person.
 */
export function covers(left: SubjectIdentifier, subject: SubjectIdentifier): boolean {
  const wanted = canonical(left);
  if (wanted === canonical(subject)) return true;
  const parts = partsOf(subject);
  if (left.format !== COMPLEX) return parts.some(([, part]) => canonical(part) === wanted);
  const all = partsOf(left);
  // A person who stands alone in an event is its user.
  const own = new Map(parts.length > 0 ? parts : [['user', subject] as const]);
  return all.length > 0 && all.every(([name, part]) => canonical(own.get(name) ?? null) === canonical(part));
}
