import type { Part } from '../program/raw-socket.ts';
import { assertEmpty, type Row } from './transport-row.ts';

/** The addresses of the table, and those of the management listener that read the same kind of request. */
const ADDRESSES: readonly (readonly [from: string, to: string])[] = [
  ['/token/introspect', '/admin/v1/keys/rotate'],
  ['/clients', '/admin/v1/clients'],
  ['/jwks.json', '/health/live'],
];

/** The key set is open to scripts of every origin, and the length of a request in a body is part of its row. */
const ELSEWHERE_ONLY = /permits any origin|an unread body/u;

/** Returns the rows of the table for the management listener. */
export const rowsAtManagement = (rows: readonly Row[]): readonly Row[] =>
  rows
    .filter(({ name }) => !ELSEWHERE_ONLY.test(name))
    .map((row) => ({
      ...row,
      name: `${row.name} (management listener)`,
      ...(row.check === assertEmpty ? { check: assertNothing } : {}),
      send: (target) => (typeof row.send === 'function' ? row.send(target) : row.send).map(elsewhere),
    }));

/** Below `/admin/v1/` every refusal is problem details (RFC 9457); elsewhere an unknown path has no body. */
const assertNothing: NonNullable<Row['check']> = (conversation) => {
  const [answer] = conversation.answers;
  if (answer?.headers['content-type'] !== 'application/problem+json') return assertEmpty(conversation);
  const { type } = JSON.parse(answer.body) as { readonly type: string };
  if (type !== 'urn:chancery:problem:not_found') throw new Error(`an unknown path is ${answer.body}`);
};

function elsewhere(part: Part): Part {
  if (typeof part !== 'string') return part;
  return ADDRESSES.reduce((text, [from, to]) => text.replaceAll(from, to), part);
}
