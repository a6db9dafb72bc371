/** RFC 8941 §3.3.5: base64 between colons, without parameters. */
const BYTE_SEQUENCE = /^:((?:[A-Za-z0-9+/]+={0,2})?):$/;

/**
 * Returns the octets of a structured header field that is one byte sequence (RFC 8941 §4.2.7).
 * @returns undefined for anything else
 */
export function parseByteSequence(field: string): Uint8Array | undefined {
  const [, base64] = BYTE_SEQUENCE.exec(field.replace(/^ +| +$/g, '')) ?? [];
  if (base64 === undefined) return undefined;
  const octets = Buffer.from(base64, 'base64');
  // The decoder stops silently at invalid characters, such as padding in the middle.
  const canonical = octets.toString('base64').replace(/=+$/, '');
  return canonical === base64.replace(/=+$/, '') ? octets : undefined;
}

/** Returns the members of a structured header field that is a list of byte sequences (RFC 8941 §4.2.1); undefined otherwise. */
export function parseByteSequences(field: string): readonly Uint8Array[] | undefined {
  const members = field.split(',').map((member) => parseByteSequence(member.replace(/^[ \t]+|[ \t]+$/g, '')));
  const read = members.filter((member) => member !== undefined);
  return read.length === members.length ? read : undefined;
}
