import type { JsonValue } from '../../spec/json.ts';
import type { CheckTrace, Reason } from '../reason.ts';
import type { ChainTrace, SearchNode, StatementTrace } from '../trust-chain/search-tree.ts';
import type { Explained } from './explained.ts';

const VALUE_LENGTH_MAX = 160;

/** Returns seconds since the Unix epoch in the format of ISO 8601. */
export function timeOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.valueOf()) ? `${seconds} s` : date.toISOString().replace('.000Z', 'Z');
}

/** Returns a number with its noun: `1 check`, `2 checks`. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}

export function reasonWords({ code, words, detail }: Reason): string {
  return `${code}: ${words}${detail === undefined ? '' : ` (${detail})`}`;
}

export function checkName({ section, number, name }: CheckTrace): string {
  return `${section} ${number} ${name}`;
}

/** Returns one check in a line. */
export function checkLine(check: CheckTrace): string {
  return check.reason === undefined
    ? `✓ ${checkName(check)}`
    : `✗ ${checkName(check)}: ${reasonWords(check.reason)}`;
}

/** Returns a value of a policy or of metadata as one line with a limited length. */
export function valueWords(value: JsonValue | undefined): string {
  if (value === undefined) return 'absent';
  return shortened(JSON.stringify(value), VALUE_LENGTH_MAX);
}

export function shortened(text: string, lengthMax: number): string {
  return text.length > lengthMax ? `${text.slice(0, lengthMax - 1)}…` : text;
}

/** Returns `configuration`, or the subject of a superior's statement. */
export function statementTitle({ kind, subject }: StatementTrace): string {
  return kind === 'subordinate' ? `statement about ${subject ?? 'its subordinate'}` : 'configuration';
}

/** Returns the first line of every explanation. */
export function headline({ search, chain }: Explained): string {
  return chain === undefined
    ? `${search.entity_id}: no trust chain`
    : `${search.entity_id}: trusted through ${chain.trust_anchor} until ${timeOf(chain.expires_at)}`;
}

/** Returns a passed statement in one line, for example `✓ configuration: 33 checks passed, valid until …`. */
export function passedWords(trace: StatementTrace): string {
  const until = trace.expires_at === undefined ? '' : `, valid until ${timeOf(trace.expires_at)}`;
  return `✓ ${statementTitle(trace)}: ${counted(trace.checks.length, 'check')} passed${until}`;
}

/** Returns a passed chain in one line. */
export function passedChainWords({ checks, policy }: ChainTrace): string {
  return `✓ chain: ${counted(checks.length, 'check')} passed, ${counted(policy.length, 'policy operator')} applied`;
}

/** Returns why a node ends its path, unless one of its statements already says so. */
export function ownReason(node: SearchNode): Reason | undefined {
  return statementsOf(node).some(({ reason }) => reason === node.reason) ? undefined : node.reason;
}

export function statementsOf({ configuration, statement }: SearchNode): readonly StatementTrace[] {
  return [configuration, statement].filter((trace) => trace !== undefined);
}

/** Replaces control and format characters, so that text of other parties cannot change a terminal or a picture. */
export function plain(text: string): string {
  return text.replaceAll(/\p{Cc}|\p{Cf}/gu, '?');
}
