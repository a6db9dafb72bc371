import type { Part } from '../program/raw-socket.ts';
import type { Row } from './transport-row.ts';

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
      send: (target) => (typeof row.send === 'function' ? row.send(target) : row.send).map(elsewhere),
    }));

function elsewhere(part: Part): Part {
  if (typeof part !== 'string') return part;
  return ADDRESSES.reduce((text, [from, to]) => text.replaceAll(from, to), part);
}
