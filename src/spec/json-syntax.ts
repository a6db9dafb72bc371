/** Where a text stops being JSON, and what stands there. */
export interface JsonSyntaxError {
  /** Counted from 1, in characters of JavaScript. */
  readonly line: number;
  readonly column: number;
  /** From a closed list: never a part of the text, which may hold secrets. */
  readonly problem: string;
}

const WHITE_SPACE = /[\t\n\r ]*/y;
// oxlint-disable-next-line no-control-regex -- it excludes control characters on purpose
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const LITERAL = /true|false|null/y;
/** A token that must not continue: `01` is no number, `nullable` no literal. */
const WORD = /[A-Za-z0-9_$.+-]/;

type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | 'colon' | 'comma or end' | 'end';

/**
 * Finds the first place where a text violates the grammar of RFC 8259. Iterates instead of recursing, because the sender
 * chooses the depth, and takes a time proportional to the length.
 * @returns undefined for well-formed JSON
 */
export function jsonSyntaxError(text: string): JsonSyntaxError | undefined {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const after = (pattern: RegExp): number | undefined => {
    pattern.lastIndex = at;
    return pattern.test(text) ? pattern.lastIndex : undefined;
  };
  const closed = (): Expected => (open.length === 0 ? 'end' : 'comma or end');
  for (;;) {
    at = after(WHITE_SPACE) ?? at;
    const character = text[at];
    if (character === undefined)
      return expected === 'end' ? undefined : placed(text, at, 'the text ends too early');
    switch (expected) {
      case 'end':
        return placed(text, at, 'nothing may follow the value');
      case 'colon':
        if (character !== ':') return placed(text, at, 'a colon must follow the name of a member');
        at += 1;
        expected = 'value';
        break;
      case 'comma or end': {
        const closing = open.at(-1) === '{' ? '}' : ']';
        if (character === ',') expected = open.at(-1) === '{' ? 'name' : 'value';
        else if (character !== closing) return placed(text, at, `a comma or ${closing} must stand here`);
        else {
          open.pop();
          expected = closed();
        }
        at += 1;
        break;
      }
      case 'name':
      case 'name or }': {
        if (character === '}' && expected === 'name or }') {
          open.pop();
          at += 1;
          expected = closed();
          break;
        }
        const end = after(STRING);
        if (end === undefined) return placed(text, at, nameProblem(character));
        at = end;
        expected = 'colon';
        break;
      }
      case 'value':
      case 'value or ]': {
        if (character === ']' && expected === 'value or ]') {
          open.pop();
          at += 1;
          expected = closed();
          break;
        }
        if (character === '{' || character === '[') {
          open.push(character);
          at += 1;
          expected = character === '{' ? 'name or }' : 'value or ]';
          break;
        }
        const end = after(STRING) ?? wholeWord(text, after(NUMBER) ?? after(LITERAL));
        if (end === undefined) return placed(text, at, valueProblem(character));
        at = end;
        expected = closed();
      }
    }
  }
}

const wholeWord = (text: string, end: number | undefined): number | undefined =>
  end === undefined || WORD.test(text[end] ?? '') ? undefined : end;

function nameProblem(character: string): string {
  if (character === '}') return 'a comma must not stand before }';
  return character === '"'
    ? 'a string has an invalid escape or control character, or does not end'
    : 'the name of a member must stand in double quotation marks';
}

function valueProblem(character: string): string {
  if (character === ']') return 'a comma must not stand before ]';
  if (character === '"') return 'a string has an invalid escape or control character, or does not end';
  return character === "'" ? 'a string must stand in double quotation marks' : 'this is no JSON value';
}

function placed(text: string, at: number, problem: string): JsonSyntaxError {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, problem };
}
