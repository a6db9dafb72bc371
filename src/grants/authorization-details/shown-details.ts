import type { PageDetail } from '../../ports/pages.ts';
import type { JsonValue } from '../../spec/json.ts';
import { lookUpLanguage } from '../../spec/languages.ts';
import type { AuthorizationDetail, DetailTypes } from './detail-types.ts';

/** Returns what the consent page shows of each object: the words of its type, or else all members. */
export function shownDetails(
  { byName }: DetailTypes,
  details: readonly AuthorizationDetail[],
  languages: readonly string[],
): readonly PageDetail[] {
  return details.map((detail) => {
    const texts = byName.get(detail.type)?.consent;
    return texts === undefined ? allMembers(detail) : { parts: inWords(detail, texts, languages) };
  });
}

const PLACE = /\{([^}]+)\}/u;

function inWords(
  detail: AuthorizationDetail,
  texts: Readonly<Record<string, string>>,
  languages: readonly string[],
): Extract<PageDetail, { readonly parts: object }>['parts'] {
  const template = texts[lookUpLanguage(languages, ['en', ...Object.keys(texts)])] ?? '';
  // Every second piece is the path of a member.
  return template
    .split(PLACE)
    .map((piece, index) =>
      index % 2 === 0 ? { text: piece } : { value: textOf(memberAt(detail, piece.split('.'))) },
    );
}

function memberAt(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  const [name, ...further] = path;
  if (name === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return memberAt((value as { readonly [name: string]: JsonValue })[name], further);
}

function allMembers({ type, ...members }: AuthorizationDetail): PageDetail {
  const shown = Object.entries(members).map(([name, value]) => ({
    name: visible(name),
    value: textOf(value),
  }));
  return { type: visible(type), members: shown };
}

/** Returns a member as text; nothing is left out, because the end-user agrees to all of it. */
function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '—';
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object'))
    return value.map(textOf).join(', ');
  return visible(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Shows characters without a form of their own, which could hide text or turn its direction. */
function visible(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
