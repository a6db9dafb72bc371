import { DER_TAGS, type DerElement, MalformedDer, readDer, readInside } from '../spec/der.ts';

/**
 * The names of a subjectAltName extension by their kind (RFC 5280 §4.2.1.6), each as it stands in the certificate.
 * Read from the DER: a text that lists them has to quote them, and quoting has failed before (CVE-2021-44532).
 */
export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly uri: readonly string[];
  readonly email: readonly string[];
  /** 4 or 16 octets each. */
  readonly ip: readonly Uint8Array[];
}

export const NO_NAMES: AlternativeNames = { dns: [], uri: [], email: [], ip: [] };

const TAGS = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const;

/** @throws MalformedDer also where a name holds what is not visible ASCII: a NUL ends a name for some readers only */
export function readAlternativeNames(extension: Uint8Array): AlternativeNames {
  const [list, ...more] = readDer(extension);
  if (more.length > 0) throw new MalformedDer('something follows the names');
  const names = readInside(list, DER_TAGS.sequence);
  const texts = (kind: number): readonly string[] => names.filter(({ tag }) => tag === kind).map(visibleText);
  return {
    dns: texts(TAGS.dns),
    uri: texts(TAGS.uri),
    email: texts(TAGS.email),
    ip: names.filter(({ tag }) => tag === TAGS.ip).map(({ content }) => content),
  };
}

/** IA5String without control characters and spaces, none of which these names have (RFC 5280 §4.2.1.6). */
function visibleText({ content }: DerElement): string {
  const text = Buffer.from(content).toString('latin1');
  if (!/^[\x21-\x7e]+$/.test(text)) throw new MalformedDer('a name that is not visible ASCII');
  return text;
}
