/** RFC 8265 §4.2.2 rule 2: "Map any instances of non-ASCII space to SPACE (U+0020)". */
const SPACES = /\p{Zs}/gu;

/**
 * Characters that the FreeformClass disallows (RFC 8264 §4.3, §9: controls, unassigned and private-use code points; old
 * Hangul Jamo is omitted), and characters that PRECIS ignores, which keyboards type differently.
 */
const DISALLOWED = /[\p{Cc}\p{Cs}\p{Cn}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** U+200C and U+200D are ignorable, but Persian and Hindi spelling needs them (RFC 5892 Appendix A). */
const JOINERS = /(?<=\p{L}\p{M}*)[\u200c\u200d](?=\p{L})/gu;

/**
 * More than 30 combining marks in a row, which no writing has: the limit of the Stream-Safe Text Format (UAX 15). The
 * time for normalising a run of marks grows with the square of its length.
 */
const LONG_RUN_OF_MARKS = /\p{M}{31}/u;

/** Says whether a text can be normalised in a time that is proportional to its length. */
export function isStreamSafe(text: string): boolean {
  return !LONG_RUN_OF_MARKS.test(text);
}

/**
 * Returns a password in its canonical form for comparison (RFC 8265 §4.2, OpaqueString): the same letters typed on another
 * machine give the same password. Returns undefined for a text that the profile refuses.
 */
export function opaqueString(text: string): string | undefined {
  if (!isStreamSafe(text)) return undefined;
  const prepared = text.replaceAll(SPACES, ' ').normalize('NFC');
  return prepared === '' || DISALLOWED.test(prepared.replaceAll(JOINERS, '')) ? undefined : prepared;
}
