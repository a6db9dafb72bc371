import type { PolicyStep } from '../metadata-policy/policy-problem.ts';
import type { CheckTrace } from '../reason.ts';
import type { Resolution } from '../trust-chain/resolve-trust.ts';
import type { ChainTrace, SearchNode, StatementTrace } from '../trust-chain/search-tree.ts';
import { checkName, plain, reasonWords, statementsOf, statementTitle, timeOf, valueWords } from './words.ts';

/** Renders the search as a tree of lines, with each statement, its source, every check and every policy operator. */
export function resolutionAsText(resolution: Resolution): readonly string[] {
  return [...outcomeLines(resolution), '', ...nodeLines(resolution.search)].map(plain);
}

function outcomeLines({ search, chain, reason, fetches }: Resolution): readonly string[] {
  if (chain === undefined) {
    return [
      `${search.entity_id}: no trust chain (${fetches} fetches)`,
      ...(reason === undefined ? [] : [`reason: ${reasonWords(reason)}`]),
    ];
  }
  const { trust_anchor, immediate_superior, expires_at, metadata } = chain;
  return [
    `${search.entity_id}: trusted through ${trust_anchor} until ${timeOf(expires_at)} (${fetches} fetches)`,
    `immediate superior: ${immediate_superior}`,
    ...[...metadata].flatMap(([type, parameters]) => [
      `${type}:`,
      ...[...parameters].map(([name, value]) => `  ${name}: ${valueWords(value)}`),
    ]),
  ];
}

function nodeLines(node: SearchNode): readonly string[] {
  const own = [
    node.entity_id + (node.is_trust_anchor ? ' (trust anchor)' : ''),
    ...indented([
      ...statementsOf(node).flatMap(statementLines),
      ...(node.chain === undefined ? [] : chainLines(node.chain)),
      ...(node.reason === undefined || statementsOf(node).some(({ reason }) => reason === node.reason)
        ? []
        : [`✗ ${reasonWords(node.reason)}`]),
    ]),
  ];
  const last = node.superiors.length - 1;
  return [
    ...own,
    ...node.superiors.flatMap((superior, index) => branch(nodeLines(superior), index === last)),
  ];
}

function branch([first = '', ...rest]: readonly string[], isLast: boolean): readonly string[] {
  return [`${isLast ? '└─' : '├─'} ${first}`, ...rest.map((line) => `${isLast ? '  ' : '│ '} ${line}`)];
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

function statementLines(trace: StatementTrace): readonly string[] {
  const { source, expires_at, checks, reason } = trace;
  const until = expires_at === undefined ? '' : `, expires ${timeOf(expires_at)}`;
  return [
    `${mark(reason === undefined)} ${statementTitle(trace)} from ${source}${until}`,
    ...indented(checkLines(checks)),
    ...(reason === undefined || checks.some((check) => check.reason !== undefined)
      ? []
      : indented([`✗ ${reasonWords(reason)}`])),
  ];
}

function checkLines(checks: readonly CheckTrace[]): readonly string[] {
  return checks.map((check) =>
    check.reason === undefined
      ? `✓ ${checkName(check)}`
      : `✗ ${checkName(check)}: ${reasonWords(check.reason)}`,
  );
}

function chainLines({
  entities,
  expires_at,
  checks,
  policy,
  ignored_operators,
  reason,
}: ChainTrace): readonly string[] {
  return [
    `${mark(reason === undefined)} chain ${entities.join(' ← ')}, expires ${timeOf(expires_at)}`,
    ...indented([
      ...checkLines(checks),
      ...policy.map(stepLine),
      ...ignored_operators.map(
        ({ entity_type, parameter, operator }) =>
          `- ${entity_type}.${parameter} ${operator}: ignored, because the operator is unknown`,
      ),
      ...(reason === undefined ? [] : [`✗ ${reasonWords(reason)}`]),
    ]),
  ];
}

function stepLine({
  entity_type,
  parameter,
  operator,
  configured,
  before,
  after,
  problem,
}: PolicyStep): string {
  const act = `${entity_type}.${parameter} ${operator} ${valueWords(configured)}: ${valueWords(before)}`;
  return problem === undefined ? `✓ ${act} → ${valueWords(after)}` : `✗ ${act}: ${operator} ${problem}`;
}

const mark = (holds: boolean): string => (holds ? '✓' : '✗');
