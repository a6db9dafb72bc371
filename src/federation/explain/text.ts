import type { PolicyStep } from '../metadata-policy/policy-problem.ts';
import type { CheckTrace, Reason } from '../reason.ts';
import type { ChainTrace, SearchNode, StatementTrace } from '../trust-chain/search-tree.ts';
import type { Explained } from './explained.ts';
import { changeWords, type FinalMember, finalMetadata } from './final-metadata.ts';
import {
  checkLine,
  checkName,
  counted,
  headline,
  ownReason,
  passedChainWords,
  passedWords,
  plain,
  reasonWords,
  statementsOf,
  statementTitle,
  timeOf,
  valueWords,
} from './words.ts';

export interface TextOptions {
  /** Whether each check, each source and each policy operator has a line, or only what failed. */
  readonly verbose: boolean;
}

/** Renders the outcome, the resulting metadata, and the search as a tree with a line for each statement. */
export function resolutionAsText(resolution: Explained, { verbose }: TextOptions): readonly string[] {
  const tree = verbose ? EVERYTHING : SHORT;
  return [...outcomeLines(resolution), '', ...nodeLines(tree, resolution.search)].map(plain);
}

function outcomeLines(resolution: Explained): readonly string[] {
  const { chain, reason, fetches } = resolution;
  const first = `${headline(resolution)} (${counted(fetches, 'fetch', 'fetches')})`;
  if (chain === undefined)
    return [first, ...(reason === undefined ? [] : [`reason: ${reasonWords(reason)}`])];
  return [
    first,
    `immediate superior: ${chain.immediate_superior}`,
    ...finalMetadata(resolution).flatMap(({ entity_type, members }) => [
      `${entity_type}:`,
      ...indented(members.flatMap(memberLines)),
    ]),
  ];
}

function memberLines({ name, value, changes }: FinalMember): readonly string[] {
  return [`${name}: ${valueWords(value)}`, ...indented(changes.map((step) => `↳ ${changeWords(step)}`))];
}

/** The lines of a statement and of a chain. */
interface Detail {
  readonly statement: (trace: StatementTrace) => readonly string[];
  readonly chain: (trace: ChainTrace) => readonly string[];
}

function nodeLines(detail: Detail, node: SearchNode): readonly string[] {
  const reason = ownReason(node);
  const own = [
    node.entity_id + (node.is_trust_anchor ? ' (trust anchor)' : ''),
    ...indented([
      ...statementsOf(node).flatMap(detail.statement),
      ...(node.chain === undefined ? [] : detail.chain(node.chain)),
      ...(reason === undefined ? [] : [`✗ ${reasonWords(reason)}`]),
    ]),
  ];
  const last = node.superiors.length - 1;
  return [
    ...own,
    ...node.superiors.flatMap((superior, index) => branch(nodeLines(detail, superior), index === last)),
  ];
}

function branch([first = '', ...rest]: readonly string[], isLast: boolean): readonly string[] {
  return [`${isLast ? '└─' : '├─'} ${first}`, ...rest.map((line) => `${isLast ? '  ' : '│ '} ${line}`)];
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

const SHORT: Detail = {
  statement: (trace) =>
    trace.reason === undefined
      ? [passedWords(trace)]
      : [`✗ ${statementTitle(trace)}:${failedRule(trace.checks)} ${reasonWords(trace.reason)}`],
  chain: (trace) =>
    trace.reason === undefined
      ? [passedChainWords(trace)]
      : [
          `✗ chain:${failedRule(trace.checks)} ${reasonWords(trace.reason)}`,
          ...indented(trace.policy.filter(({ problem }) => problem !== undefined).map(stepLine)),
        ],
};

function failedRule(checks: readonly CheckTrace[]): string {
  const failed = checks.find(({ reason }) => reason !== undefined);
  return failed === undefined ? '' : ` ${checkName(failed)}:`;
}

const EVERYTHING: Detail = {
  statement: (trace) => {
    const { source, expires_at, checks, reason } = trace;
    const until = expires_at === undefined ? '' : `, valid until ${timeOf(expires_at)}`;
    return [
      `${mark(reason)} ${statementTitle(trace)} from ${source}${until}`,
      ...indented(checks.map(checkLine)),
      ...indented(reason === undefined || failedRule(checks) !== '' ? [] : [`✗ ${reasonWords(reason)}`]),
    ];
  },
  chain: ({ entities, expires_at, checks, policy, ignored_operators, reason }) => [
    `${mark(reason)} chain ${entities.join(' ← ')}, valid until ${timeOf(expires_at)}`,
    ...indented([
      ...checks.map(checkLine),
      ...policy.map(stepLine),
      ...ignored_operators.map(
        ({ entity_type, parameter, operator }) =>
          `- ${entity_type}.${parameter} ${operator}: ignored, because the operator is unknown`,
      ),
      ...(reason === undefined ? [] : [`✗ ${reasonWords(reason)}`]),
    ]),
  ],
};

function stepLine(step: PolicyStep): string {
  const { entity_type, parameter, operator, configured, before, after, problem } = step;
  const act = `${entity_type}.${parameter} ${operator} ${valueWords(configured)}: ${valueWords(before)}`;
  return problem === undefined ? `✓ ${act} → ${valueWords(after)}` : `✗ ${act}: ${operator} ${problem}`;
}

const mark = (reason: Reason | undefined): string => (reason === undefined ? '✓' : '✗');
