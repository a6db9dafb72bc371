import { row, table } from '../markdown.ts';
import { type Proof, readProofs } from './proofs.ts';
import type { Specification } from './requirement.ts';
import { SPECIFICATIONS } from './specifications.ts';

const INTRODUCTION = `In our own words, sentence by sentence. The last column names the tests that carry the requirement's id
(\`// proves rfc7662-2.1-3\`). Where we decided otherwise, or no test proves the sentence, the reason comes first.
`;

/** Returns a table per specification: each requirement with its section, and the tests that prove it. */
export function requirementsMarkdown(root: string): string {
  const proofs = Map.groupBy(readProofs(root), ({ id }) => id);
  return [INTRODUCTION, ...SPECIFICATIONS.map((each) => specificationMarkdown(each, proofs))].join('\n');
}

function specificationMarkdown(
  { title, scope, requirements }: Specification,
  proofs: ReadonlyMap<string, readonly Proof[]>,
): string {
  const rows = requirements.map(({ id, section, words, reason }) => {
    const reasons = reason === undefined ? [] : [`_${reason}_`];
    return row(id, section, words, [...reasons, ...(proofs.get(id) ?? []).map(testLink)].join('<br>'));
  });
  return [`### ${title}\n`, `${scope}\n`, table(['id', 'section', 'requirement', 'proved by'], rows)].join(
    '\n',
  );
}

function testLink({ file, name }: Proof): string {
  const short = file.replace(/^(?:src\/endpoints|src|test)\//, '').replace(/(?:\.program)?\.test\.ts$/, '');
  return `${name} ([${short}](../${file}))`;
}
