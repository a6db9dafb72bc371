import type { JsonValue } from '../../spec/json.ts';
import type { CheckTrace, Reason } from '../reason.ts';
import type { SearchNode, StatementTrace } from '../trust-chain/search-tree.ts';

const VALUE_LENGTH_MAX = 160;

/** Returns seconds since the Unix epoch in the format of ISO 8601. */
export function timeOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.valueOf()) ? `${seconds} s` : date.toISOString().replace('.000Z', 'Z');
}

export function reasonWords({ code, words, detail }: Reason): string {
  return `${code}: ${words}${detail === undefined ? '' : ` (${detail})`}`;
}

export function checkName({ section, number, name }: CheckTrace): string {
  return `${section} ${number} ${name}`;
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

export function statementsOf({ configuration, statement }: SearchNode): readonly StatementTrace[] {
  return [configuration, statement].filter((trace) => trace !== undefined);
}

/** Replaces control and format characters, so that text of other parties cannot change a terminal or a picture. */
export function plain(text: string): string {
  return text.replaceAll(/\p{Cc}|\p{Cf}/gu, '?');
}
