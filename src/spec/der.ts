/** An element of DER (X.690 §8.1): one value with its tag. */
export interface DerElement {
  /** The identifier octet: class, form and number. */
  readonly tag: number;
  readonly content: Uint8Array;
  /** The whole element, identifier and length included. */
  readonly encoded: Uint8Array;
}

/** Says that octets are not DER. */
export class MalformedDer extends Error {}

export const DER_TAGS = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Returns the consecutive elements in `octets`. @throws MalformedDer */
export function readDer(octets: Uint8Array): readonly DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < octets.length; ) {
    const element = elementAt(octets, at);
    elements.push(element);
    at += element.encoded.length;
  }
  return elements;
}

/** Returns the elements inside an element with this tag. @throws MalformedDer */
export function readInside(element: DerElement | undefined, tag: number): readonly DerElement[] {
  return readDer(contentOf(element, tag));
}

/** @throws MalformedDer if the element is absent or has another tag */
export function contentOf(element: DerElement | undefined, tag: number): Uint8Array {
  if (element?.tag !== tag) throw new MalformedDer(`no element with tag ${tag} where one belongs`);
  return element.content;
}

function elementAt(octets: Uint8Array, at: number): DerElement {
  const tag = octets[at];
  const first = octets[at + 1];
  // X.690 §8.1.2.4: tag numbers above 30 take further octets. Certificates have none.
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw new MalformedDer('a tag');
  const lengthOctets = first < 0x80 ? 0 : first & 0x7f;
  const start = at + 2 + lengthOctets;
  const length = lengthOctets === 0 ? first : longLength(octets.subarray(at + 2, start), lengthOctets);
  const end = start + length;
  if (end > octets.length) throw new MalformedDer('an element is longer than what holds it');
  return { tag, content: octets.subarray(start, end), encoded: octets.subarray(at, end) };
}

/** X.690 §10.1: "The definite form of length encoding shall be used, encoded in the minimum number of octets." */
function longLength(octets: Uint8Array, count: number): number {
  if (count === 0 || count > 3 || octets.length !== count) throw new MalformedDer('a length');
  const length = octets.reduce((sum, octet) => sum * 256 + octet, 0);
  if (length < 0x80 || octets[0] === 0) throw new MalformedDer('a length that is not minimal');
  return length;
}

/** Returns the arcs of an object identifier as dotted decimal numbers (X.690 §8.19). @throws MalformedDer */
export function readObjectIdentifier(element: DerElement | undefined): string {
  const octets = contentOf(element, DER_TAGS.objectIdentifier);
  const arcs: bigint[] = [];
  let arc = 0n;
  let begins = true;
  for (const octet of octets) {
    // X.690 §8.19.2: "the leading octet of the subidentifier shall not have the value 80₁₆".
    if (begins && octet === 0x80) throw new MalformedDer('an object identifier that is not minimal');
    arc = arc * 128n + BigInt(octet & 0x7f);
    begins = octet < 0x80;
    if (!begins) continue;
    arcs.push(arc);
    arc = 0n;
  }
  const [joined, ...rest] = arcs;
  if (joined === undefined || !begins) throw new MalformedDer('an object identifier that does not end');
  // X.690 §8.19.4: the first two arcs share one number.
  const root = joined < 40n ? 0n : joined < 80n ? 1n : 2n;
  return [root, joined - root * 40n, ...rest].join('.');
}

const STRING_TAGS = {
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  ia5String: 0x16,
  visibleString: 0x1a,
  universalString: 0x1c,
  bmpString: 0x1e,
} as const;

const ASCII_ALPHABETS: Readonly<Record<number, RegExp>> = {
  [STRING_TAGS.numericString]: /^[0-9 ]*$/,
  [STRING_TAGS.printableString]: /^[A-Za-z0-9 '()+,\-./:=?]*$/,
  // oxlint-disable-next-line no-control-regex -- the type allows all of ASCII
  [STRING_TAGS.ia5String]: /^[\u0000-\u007f]*$/,
  [STRING_TAGS.visibleString]: /^[\u0020-\u007e]*$/,
};

/**
 * Returns the text of a character string, with every octet: a NUL does not end it.
 * @returns undefined for other types, for octets outside the type's alphabet, and for T61String, whose decoding is ambiguous
 */
export function readText({ tag, content }: Pick<DerElement, 'tag' | 'content'>): string | undefined {
  const alphabet = ASCII_ALPHABETS[tag];
  if (alphabet !== undefined) {
    const text = Buffer.from(content).toString('latin1');
    return alphabet.test(text) ? text : undefined;
  }
  if (tag === STRING_TAGS.utf8String) return decoded('utf-8', content);
  if (tag === STRING_TAGS.bmpString && content.length % 2 === 0) return decoded('utf-16be', content);
  return tag === STRING_TAGS.universalString ? utf32(content) : undefined;
}

function decoded(encoding: 'utf-8' | 'utf-16be', octets: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(octets);
  } catch {
    return undefined;
  }
}

function utf32(octets: Uint8Array): string | undefined {
  if (octets.length % 4 !== 0) return undefined;
  const view = Buffer.from(octets);
  let text = '';
  for (let at = 0; at < view.length; at += 4) {
    const point = view.readUInt32BE(at);
    if (point > 0x10_ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined;
    text += String.fromCodePoint(point);
  }
  return text;
}
