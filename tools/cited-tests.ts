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

export function citedTests(file: string, text: string): readonly CitedTest[] {
  return [...text.matchAll(TEST)].flatMap(([, ...literals]) => {
    const literal = literals.find((found) => found !== undefined) ?? '';
    const name = literal.replaceAll(/\$\{[^}]*\}/g, '…').replaceAll(/\\(['"`\\])/g, '$1');
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
