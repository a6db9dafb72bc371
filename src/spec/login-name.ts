import type { LoginName } from './identifiers.ts';

/** A mail address has at most 254 (RFC 5321 §4.5.3.1.3). */
const CODE_POINTS_MAX = 254;

/** RFC 8265 §3.3.2 rule 1: "Fullwidth and halfwidth code points MUST be mapped to their decomposition mappings". */
const WIDTHS = /[\u3000\uff01-\uffee]/gu;

/** RFC 8264 §4.2, the IdentifierClass: letters and digits, and what ASCII prints but the space. */
const ALLOWED = /^[\x21-\x7e\p{Ll}\p{Lu}\p{Lo}\p{Lm}\p{Nd}\p{Mn}\p{Mc}]+$/u;
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u;
const LEADING_MARK = /^\p{M}/u;

/**
 * The scripts that a name may have together: UTS 39 §5.2, "Highly Restrictive". Letters that look alike in two alphabets
 * would otherwise make two names that nobody can tell apart.
 */
const SCRIPTS_TOGETHER: readonly RegExp[] = [
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]*$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Bopomofo}]*$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hangul}]*$/u,
];

/** Every other script that is in daily use (UAX 31, table 5) stands alone. */
const SCRIPTS_ALONE: readonly RegExp[] = (
  'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada Khmer Lao ' +
  'Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'
)
  .split(' ')
  .map((script) => new RegExp(`^\\p{Script=${script}}*$`, 'u'));

const OF_ANY_SCRIPT = /[\p{Script=Common}\p{Script=Inherited}]/gu;

/**
 * A user name in the form in which names are compared (RFC 8265 §3.3, UsernameCaseMapped): `Ada` and `ａｄａ` are `ada`.
 * @returns undefined for what cannot be the name of an account
 */
export function loginName(text: string): LoginName | undefined {
  // Normalising a megabyte takes time that anybody could ask for.
  if (text.length > CODE_POINTS_MAX * 4) return undefined;
  const name = caseMapped(text);
  if (!ALLOWED.test(name) || IGNORABLE.test(name) || LEADING_MARK.test(name)) return undefined;
  // RFC 8264 §9.17: a code point that NFKC changes has a lookalike that is meant.
  if (name.normalize('NFKC') !== name || Array.from(name).length > CODE_POINTS_MAX) return undefined;
  return isOfOneScript(name) && caseMapped(name) === name ? (name as LoginName) : undefined;
}

function caseMapped(text: string): string {
  return text
    .replaceAll(WIDTHS, (character) => character.normalize('NFKC'))
    .toLowerCase()
    .normalize('NFC');
}

function isOfOneScript(name: string): boolean {
  const letters = name.replaceAll(OF_ANY_SCRIPT, '');
  return [...SCRIPTS_TOGETHER, ...SCRIPTS_ALONE].some((scripts) => scripts.test(letters));
}
