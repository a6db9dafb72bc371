import { DER_TAGS, type DerElement, readInside, readObjectIdentifier, readText } from './der.ts';

/** One attribute of a name: its type as a dotted object identifier, and its value. */
interface Attribute {
  readonly type: string;
  /** Undefined if the value is not text, or is given by its encoding (`#04024869`). */
  readonly text: string | undefined;
  /** The BER encoding in hex; undefined if the value is given as text. */
  readonly encoding: string | undefined;
}

/** Attributes of one relative name. Their order has no meaning (X.501 §9.2). */
type RelativeDistinguishedName = readonly Attribute[];

/** A distinguished name, most significant part first, in the order of a certificate. */
export type DistinguishedName = readonly RelativeDistinguishedName[];

/** Descriptors of RFC 4514 §3 and others that certification authorities use (RFC 4519 §2, PKCS #9, EV guidelines). */
const ATTRIBUTE_TYPES: Readonly<Record<string, string>> = {
  CN: '2.5.4.3',
  COMMONNAME: '2.5.4.3',
  SN: '2.5.4.4',
  SURNAME: '2.5.4.4',
  SERIALNUMBER: '2.5.4.5',
  C: '2.5.4.6',
  COUNTRYNAME: '2.5.4.6',
  L: '2.5.4.7',
  LOCALITYNAME: '2.5.4.7',
  ST: '2.5.4.8',
  S: '2.5.4.8',
  STATEORPROVINCENAME: '2.5.4.8',
  STREET: '2.5.4.9',
  STREETADDRESS: '2.5.4.9',
  O: '2.5.4.10',
  ORGANIZATIONNAME: '2.5.4.10',
  OU: '2.5.4.11',
  ORGANIZATIONALUNITNAME: '2.5.4.11',
  TITLE: '2.5.4.12',
  DESCRIPTION: '2.5.4.13',
  BUSINESSCATEGORY: '2.5.4.15',
  POSTALCODE: '2.5.4.17',
  GN: '2.5.4.42',
  GIVENNAME: '2.5.4.42',
  ORGANIZATIONIDENTIFIER: '2.5.4.97',
  UID: '0.9.2342.19200300.100.1.1',
  USERID: '0.9.2342.19200300.100.1.1',
  DC: '0.9.2342.19200300.100.1.25',
  DOMAINCOMPONENT: '0.9.2342.19200300.100.1.25',
  E: '1.2.840.113549.1.9.1',
  EMAILADDRESS: '1.2.840.113549.1.9.1',
  JURISDICTIONL: '1.3.6.1.4.1.311.60.2.1.1',
  JURISDICTIONST: '1.3.6.1.4.1.311.60.2.1.2',
  JURISDICTIONC: '1.3.6.1.4.1.311.60.2.1.3',
  JURISDICTIONCOUNTRYNAME: '1.3.6.1.4.1.311.60.2.1.3',
};

const DOTTED = /^(?:[0-2])(?:\.(?:0|[1-9]\d*))+$/;

/** Returns the name in a certificate (RFC 5280 §4.1.2.4). @throws MalformedDer */
export function readName(element: DerElement | undefined): DistinguishedName {
  return readInside(element, DER_TAGS.sequence).map((rdn) =>
    readInside(rdn, DER_TAGS.set).map((attribute): Attribute => {
      const [type, value, ...more] = readInside(attribute, DER_TAGS.sequence);
      const encoding = value === undefined || more.length > 0 ? undefined : hexOf(value.encoded);
      return { type: readObjectIdentifier(type), text: value && readText(value), encoding };
    }),
  );
}

function hexOf(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex');
}

/**
 * Returns the name that a string represents (RFC 4514 §2). Ignores spaces around separators: many tools write them, and
 * no value begins or ends with an unescaped space (§2.4).
 * @returns undefined for anything else, and for an attribute type that is neither a known name nor a dotted number
 */
export function parseName(text: string): DistinguishedName | undefined {
  const parts = split(text, ',')?.map((rdn) => split(rdn, '+')?.map(parseAttribute));
  const name: Attribute[][] = [];
  for (const rdn of parts ?? []) {
    const attributes = rdn?.filter((attribute) => attribute !== undefined) ?? [];
    if (attributes.length === 0 || attributes.length !== rdn?.length) return undefined;
    name.push(attributes);
  }
  // RFC 4514 §2.1: "starting with the last element of the sequence and moving backwards toward the first".
  return name.length === 0 ? undefined : name.toReversed();
}

/** Splits at each unescaped separator. Quotes and semicolons belong to the obsolete RFC 1779. */
function split(text: string, separator: ',' | '+'): string[] | undefined {
  const parts = [''];
  for (const [piece] of text.matchAll(/\\[\s\S]|[^\\]|\\$/g)) {
    if (/^["<>;]$/.test(piece)) return undefined;
    if (piece === separator) parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}

function parseAttribute(text: string): Attribute | undefined {
  const equals = text.indexOf('=');
  if (equals === -1) return undefined;
  const named = text.slice(0, equals).trim();
  const type = DOTTED.test(named) ? named : ATTRIBUTE_TYPES[named.toUpperCase()];
  if (type === undefined) return undefined;
  const given = trimmed(text.slice(equals + 1));
  if (given.startsWith('#')) {
    return /^#(?:[0-9a-fA-F]{2})+$/.test(given)
      ? { type, text: undefined, encoding: given.slice(1).toLowerCase() }
      : undefined;
  }
  const value = unescaped(given);
  return value === undefined ? undefined : { type, text: value, encoding: undefined };
}

/** Removes surrounding spaces, except an escaped one, which belongs to the value. */
function trimmed(value: string): string {
  const text = value.replace(/^ +/, '');
  const bare = text.replace(/ +$/, '');
  return bare.length < text.length && /(?<!\\)(?:\\\\)*\\$/.test(bare) ? `${bare} ` : bare;
}

/** Decodes escapes (RFC 4514 §2.4): a backslash before a special character, or before two hex digits of a UTF-8 octet. */
function unescaped(text: string): string | undefined {
  const octets: Buffer[] = [];
  for (const [piece] of text.matchAll(/\\[0-9a-fA-F]{2}|\\[\s\S]|[^\\]+|\\$/g)) {
    if (!piece.startsWith('\\')) octets.push(Buffer.from(piece));
    else if (piece.length === 3) octets.push(Buffer.from(piece.slice(1), 'hex'));
    else if (/^\\[ "#+,;<=>\\]$/.test(piece)) octets.push(Buffer.from(piece.slice(1)));
    else return undefined;
  }
  const value = readText({ tag: 0x0c, content: Buffer.concat(octets) });
  return value?.includes('\0') === true ? undefined : value;
}

/**
 * Returns whether two names are equal: the same parts in the same order, each with the same attributes.
 *
 * Compares values character by character. RFC 4517 §4.2.11 would ignore case, runs of spaces and Unicode compatibility
 * forms; then a certificate for a look-alike name would authenticate the client.
 */
export function sameName(one: DistinguishedName, other: DistinguishedName): boolean {
  return one.length === other.length && one.every((rdn, index) => samePart(rdn, other[index] ?? []));
}

function samePart(one: RelativeDistinguishedName, other: RelativeDistinguishedName): boolean {
  const covers = (these: RelativeDistinguishedName, those: RelativeDistinguishedName): boolean =>
    those.every((that) => these.some((each) => sameAttribute(each, that)));
  return one.length === other.length && covers(one, other) && covers(other, one);
}

function sameAttribute(one: Attribute, other: Attribute): boolean {
  if (one.type !== other.type) return false;
  const bothText = one.text !== undefined && other.text !== undefined;
  return bothText ? one.text === other.text : one.encoding !== undefined && one.encoding === other.encoding;
}
