/** A test whose name cites a section. */
export interface CitedTest {
  readonly specification: string;
  /** `§3.2.1`; of a decision, its number. */
  readonly section: string;
  /** As its source says it; what it is made of at run time is an ellipsis. */
  readonly name: string;
  readonly file: string;
}

const TEST =
  /\b(?:test|it|describe|suite)\(\s*(?:'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\[\s\S]|\$\{[^}]*\}|[^`\\])*)`)/g;

const SECTION = /\b((?:RFC \d+|(?:[A-Z][\w-]*\.?\d* )*?[A-Z][\w-]*(?: \d\.\d)?)) (§[A-Z]?[\d.]*\d)/g;
const DECISIONS = /\bdecisions? (\d+(?:(?:, | and )\d+)*)/g;

/** The names of the tests in a source, what they are made of at run time as an ellipsis. */
export function testNames(text: string): readonly string[] {
  return [...text.matchAll(TEST)].map(([, ...literals]) => {
    const literal = literals.find((found) => found !== undefined) ?? '';
    return literal.replaceAll(/\$\{[^}]*\}/g, '…').replaceAll(/\\(['"`\\])/g, '$1');
  });
}

export function citedTests(file: string, text: string): readonly CitedTest[] {
  return testNames(text).flatMap((name) => {
    const sections = [...name.matchAll(SECTION)].map(([, specification = '', section = '']) => ({
      specification,
      section,
    }));
    const decisions = [...name.matchAll(DECISIONS)].flatMap(([, numbers = '']) =>
      numbers.split(/, | and /).map((section) => ({ specification: 'Decisions', section })),
    );
    return [...sections, ...decisions].map((cited) => ({ ...cited, name, file }));
  });
}
