const TEST =
  /\b(?:test|it|describe|suite)\(\s*(?:'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\[\s\S]|\$\{[^}]*\}|[^`\\])*)`)/g;

export interface NamedTest {
  /** The literal in the source; each part that is only known at run time is an ellipsis. */
  readonly name: string;
  /** Where the call begins in the text. */
  readonly offset: number;
}

/** Returns the tests of a source in their order. */
export function namedTests(text: string): readonly NamedTest[] {
  return [...text.matchAll(TEST)].map(({ index, 1: single, 2: double, 3: template }) => ({
    name: plainName(single ?? double ?? template ?? ''),
    offset: index,
  }));
}

function plainName(literal: string): string {
  return literal.replaceAll(/\$\{[^}]*\}/g, '…').replaceAll(/\\(['"`\\])/g, '$1');
}
