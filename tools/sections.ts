import { CITED_SPECIFICATIONS } from './specifications.ts';

export interface CitedSection {
  /** As in `CITED_SPECIFICATIONS`, or `RFC 7662`. */
  readonly specification: string;
  /** `3.2.1`, or `B` of an appendix. */
  readonly section: string;
}

/** A space, or the end of a comment's line and the mark that begins the next one. */
const GAP = String.raw`(?:[ ]|\s*\n\s*(?:\*|//)?\s*)`;
const NAMES = CITED_SPECIFICATIONS.map(({ name }) => name)
  .sort((one, other) => other.length - one.length)
  .map((name) => name.replaceAll('.', String.raw`\.`).replaceAll(' ', GAP));
const NAME = String.raw`(?:${NAMES.join('|')}|RFC${GAP}\d+)`;
const CITATION = new RegExp(
  String.raw`\b(${NAME})(?![\w-])|(?:§|Appendix )([A-Z]?\d[\d.]*\d|[A-Z]?\d|[A-Z])\b`,
  'g',
);

/** Returns the sections that a text cites. A section without a name belongs to the name before it, or to `home`. */
export function citedSections(text: string, home?: string): readonly CitedSection[] {
  let specification = home;
  const found: CitedSection[] = [];
  for (const [, name, section] of text.matchAll(CITATION)) {
    if (name !== undefined) specification = name.replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ');
    else if (section !== undefined && specification !== undefined) found.push({ specification, section });
  }
  return found;
}

const KNOWN = new RegExp(`(?:^|[^\\w-])${NAME}${GAP}$`);
/** The word before a section, when it looks like the end of a name: `Discovery §3`, `Level 3 §6`. */
const NAMED = new RegExp(String.raw`(?:^|[\s('"\x60>])([A-Z][\w.-]*|\d[\w.]*)${GAP}$`);
/** Words with a capital that can stand before a section without being a name. */
const WORDS = /^(?:And|Of|To|With|See|From|By|In|Section)$|[.:;,]$/;

/** Returns the citations whose specification has an unknown spelling, each with a few words before it. */
export function misspelledCitations(text: string): readonly string[] {
  return [...text.matchAll(/§[A-Z]?\d/g)].flatMap(({ index }) => {
    const before = text.slice(Math.max(0, index - 120), index);
    const word = NAMED.exec(before)?.[1];
    if (word === undefined || WORDS.test(word) || KNOWN.test(before)) return [];
    return [text.slice(Math.max(0, index - 50), index + 6).replaceAll(/\s+/g, ' ')];
  });
}
