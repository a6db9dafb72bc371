// How code, tests and documents cite docs/contract and docs/adr by number. The law on citations and the documents that
// name their proofs read the same grammar.

/** A number that must be a row or a heading: `H-001`, `C-21`, `F16`, `I5`, `L3`, `trap S2`, `decision 6`, `ADR 12`. */
export interface NumberCitation {
  readonly number: string;
  /** Where it begins in the text. */
  readonly offset: number;
}

/** `H-046…H-048` and `C-21 to C-23` cite the rows between as well. */
const ROW = /\b([HCST])-(\d{2,3})\b(?:(?:…| to )\1-(\d{2,3})\b)?/g;

/** Not in percent-encoding (`%F0%9F`), colours (`#F5F6`), escapes, types and other names. */
const LETTERED = /(?<![\w%#\\+.$-])([FIL])([1-9]\d?)\b(?![-.]?[\w(])(?:(?:…| to )\1([1-9]\d?)\b)?/g;

const TRAP = /\btraps? (S\d{1,2})\b/g;

const LISTED = /\b(decisions?|ADRs?) (\d+(?:(?:, and |, | and | to |…)\d+)*)/gi;

/** Returns the numbers that a text cites, ranges as each of their numbers. */
export function numbersIn(text: string): readonly NumberCitation[] {
  return [
    ...[...text.matchAll(ROW)].flatMap(({ index, 1: letter = '', 2: from = '', 3: to = from }) =>
      between(Number(from), Number(to)).map((row) => ({
        number: `${letter}-${String(row).padStart(from.length, '0')}`,
        offset: index,
      })),
    ),
    ...[...text.matchAll(LETTERED)].flatMap(({ index, 1: letter = '', 2: from = '', 3: to = from }) =>
      between(Number(from), Number(to)).map((row) => ({ number: `${letter}${row}`, offset: index })),
    ),
    ...[...text.matchAll(TRAP)].map(({ index, 1: trap = '' }) => ({ number: `trap ${trap}`, offset: index })),
    ...[...text.matchAll(LISTED)].flatMap(({ index, 1: word = '', 2: list = '' }) =>
      listed(list).map((one) => ({
        number: `${/^a/i.test(word) ? 'ADR' : 'decision'} ${one}`,
        offset: index,
      })),
    ),
  ];
}

function listed(list: string): readonly number[] {
  return list.split(/, and |, | and /).flatMap((item) => {
    const [from = 0, to = from] = item.split(/ to |…/).map(Number);
    return between(from, to);
  });
}

function between(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) + 1 }, (_, index) => from + index);
}

/** Returns the anchor of a number in docs/contract: `h-001`, `f16`, `trap-s2`, `decision-6`. */
export function anchorOf(number: string): string {
  return number.toLowerCase().replaceAll(' ', '-');
}
