// The rules of plain English that a program can check (docs/adr/0036). A reader checks the others.

/** A stretch of English, and where it begins. */
export interface Passage {
  /** Below the repository's root, with `/`. */
  readonly path: string;
  /** The first line is 1. */
  readonly line: number;
  /** Without comment marks, code, links' addresses and quotations. */
  readonly text: string;
}

export interface Finding {
  readonly path: string;
  readonly line: number;
  /** The rule, and the words around what breaks it. */
  readonly problem: string;
}

interface Rule {
  readonly name: string;
  readonly pattern: RegExp;
}

/** Words and turns of phrase that make a reader go back (style rule 3). */
const AVOIDED: readonly Rule[] = [
  'whoever',
  'whomever',
  'whom',
  'somebody',
  'nobody',
  'so many',
  'of which',
  'by itself',
  'nothing of',
  'that which',
  'one more',
].map((words) => ({
  name: `avoid "${words}"`,
  pattern: new RegExp(`\\b${words.replaceAll(' ', '\\s+')}\\b`, 'gi'),
}));

/** Sentences that begin with an object instead of a subject (style rule 2). They are looked for at the beginning only. */
const HEADLESS: readonly Rule[] = [
  { name: 'begins with "Of"', pattern: /^Of\s(?!course\b)[a-z]/ },
  { name: 'begins with "What" and asks nothing', pattern: /^What\s(?!.*\?$)/s },
  { name: 'begins with "Who" and asks nothing', pattern: /^Whos?e?\s(?!.*\?$)/s },
];

const CONTEXT = 40;

/** Returns every breach of a rule in a passage, with the line it stands on. */
export function findingsIn({ path, line, text }: Passage): readonly Finding[] {
  return sentencesOf(text).flatMap(({ words, start }) => {
    const found = (name: string, index: number): Finding => ({
      path,
      line: line + text.slice(0, start + index).split('\n').length - 1,
      problem: `${name}: ${around(words, index)}`,
    });
    return [
      ...AVOIDED.flatMap(({ name, pattern }) =>
        [...words.matchAll(pattern)].map(({ index }) => found(name, index)),
      ),
      ...HEADLESS.filter(({ pattern }) => words.match(pattern) !== null).map(({ name }) => found(name, 0)),
    ];
  });
}

interface Sentence {
  readonly words: string;
  /** The index of its first letter in the passage. */
  readonly start: number;
}

/** A full stop, question mark or colon before a capital letter or a quotation, an empty line, or a new item of a list. */
const BOUNDARY = /(?<=[.!?:;]["'’)]?)\s+(?=[A-Z"'`“(])|\n\s*\n|\n\s*(?=[-*|>#]|\d+\. )|\s\|\s|^\s*\|/g;

function sentencesOf(text: string): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let from = 0;
  const add = (to: number): void => {
    const raw = text.slice(from, to);
    const words = raw.replace(/^[\s\-*|>#"'“(]+/, '');
    if (words !== '') sentences.push({ words: words.trimEnd(), start: from + raw.length - words.length });
  };
  for (const { 0: found, index } of text.matchAll(BOUNDARY)) {
    add(index);
    from = index + found.length;
  }
  add(text.length);
  return sentences;
}

function around(words: string, index: number): string {
  return words.slice(Math.max(0, index - CONTEXT), index + CONTEXT).replaceAll(/\s+/g, ' ');
}
