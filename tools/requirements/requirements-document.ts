import { row, table } from '../markdown.ts';
import { type NamesIn, provingTests, testFiles } from './proof.ts';
import type { Requirement, Specification, TestReference } from './requirement.ts';
import { SPECIFICATIONS } from './specifications.ts';

const INTRODUCTION = `In our own words, sentence by sentence. Where something is decided otherwise than the sentence says, or there is no
test, the reason stands first.
`;

/** A table per specification: each requirement with its section, and what proves it. */
export function requirementsMarkdown(root: string): string {
  const namesIn = testFiles(root);
  return [INTRODUCTION, ...SPECIFICATIONS.map((each) => specificationMarkdown(each, namesIn))].join('\n');
}

function specificationMarkdown({ title, scope, requirements }: Specification, namesIn: NamesIn): string {
  const rows = requirements.map(({ section, words, ...proof }) =>
    row(section, words, provedBy(proof, namesIn)),
  );
  return [`### ${title}\n`, `${scope}\n`, table(['section', 'requirement', 'proved by'], rows)].join('\n');
}

function provedBy({ tests, reason }: Pick<Requirement, 'tests' | 'reason'>, namesIn: NamesIn): string {
  const reasons = reason === undefined ? [] : [`_${reason}_`];
  return [...reasons, ...tests.map((each) => testLink(each, namesIn))].join('<br>');
}

function testLink(reference: TestReference, namesIn: NamesIn): string {
  const [name = reference.name] = provingTests(namesIn, reference);
  const short = reference.file
    .replace(/^(?:src\/endpoints|src|test)\//, '')
    .replace(/(?:\.program)?\.test\.ts$/, '');
  return `${name} ([${short}](../${reference.file}))`;
}
