import type { LoginName } from './identifiers.ts';
import { isStreamSafe } from './opaque-string.ts';

/** The maximum length, that of a mail address (RFC 5321 §4.5.3.1.3). */
const CODE_POINTS_MAX = 254;

/** RFC 8265 §3.3.2 rule 1: "Fullwidth and halfwidth code points MUST be mapped to their decomposition mappings". */
const WIDTHS = /[\u3000\uff01-\uffee]/gu;

/** The IdentifierClass (RFC 8264 §4.2): letters, digits, and printable ASCII except the space. */
const ALLOWED = /^[\x21-\x7e\p{Ll}\p{Lu}\p{Lo}\p{Lm}\p{Nd}\p{Mn}\p{Mc}]+$/u;
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u;
const LEADING_MARK = /^\p{M}/u;

/**
 * The scripts that a name may mix (UTS 39 §5.2, "Highly Restrictive"). Otherwise look-alike letters of two alphabets could
 * form two names that people cannot distinguish.
 */
const SCRIPTS_TOGETHER: readonly RegExp[] = [
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]*$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Bopomofo}]*$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hangul}]*$/u,
];

/** Every other script in daily use (UAX 31, table 5), which a name may not mix. */
const SCRIPTS_ALONE: readonly RegExp[] = (
  'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada Khmer Lao ' +
  'Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'
)
  .split(' ')
  .map((script) => new RegExp(`^\\p{Script=${script}}*$`, 'u'));

const OF_ANY_SCRIPT = /[\p{Script=Common}\p{Script=Inherited}]/gu;

/**
 * Returns a user name in its canonical form for comparison (RFC 8265 §3.3, UsernameCaseMapped): `Ada` and `ａｄａ` are `ada`.
 * @returns undefined for a text that cannot be the name of an account
 */
export function loginName(text: string): LoginName | undefined {
  // Bounds the length first, because a stranger could make the server normalise a megabyte.
  if (text.length > CODE_POINTS_MAX * 4 || !isStreamSafe(text)) return undefined;
  const name = caseMapped(text);
  if (!ALLOWED.test(name) || IGNORABLE.test(name) || LEADING_MARK.test(name)) return undefined;
  // RFC 8264 §9.17: a code point that NFKC changes is a look-alike of another one.
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
