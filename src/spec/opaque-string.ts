/** RFC 8265 §4.2.2 rule 2: "Map any instances of non-ASCII space to SPACE (U+0020)". */
const SPACES = /\p{Zs}/gu;

/**
 * RFC 8264 §4.3 and §9: what the FreeformClass disallows (controls, unassigned and private-use code points, old Hangul
 * Jamo aside), and what PRECIS ignores, which two keyboards would not type alike.
 */
const DISALLOWED = /[\p{Cc}\p{Cs}\p{Cn}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** U+200C and U+200D are ignorable and yet a part of how Persian or Hindi is written (RFC 5892 Appendix A). */
const JOINERS = /(?<=\p{L}\p{M}*)[\u200c\u200d](?=\p{L})/gu;

/**
 * A password in the form in which passwords are compared (RFC 8265 §4.2, the OpaqueString profile): the same letters
 * typed on another machine are the same password, and nothing else changes. Undefined for what the profile refuses.
 */
export function opaqueString(text: string): string | undefined {
  const prepared = text.replaceAll(SPACES, ' ').normalize('NFC');
  return prepared === '' || DISALLOWED.test(prepared.replaceAll(JOINERS, '')) ? undefined : prepared;
}
