import type { RawAnswer } from '../test/program/raw-socket.ts';
import { httpSubject } from './http-subject.ts';
import type { LoadOrder } from './load.ts';
import type { Ours } from './ours.ts';
import type { Aim, Bench, Subject } from './subject.ts';

const OTHER = 'another checkout (--against)';

/** A change may cost three per cent of a hot path, which is less than the noise of a round. */
export const NOT_SLOWER: Aim = { against: OTHER, atLeast: 0.97 };

/** Returns the program of another checkout under the same load, or no subject without `--against`. */
export async function otherCheckout(
  bench: Bench,
  orderFor: (other: Ours) => LoadOrder,
  verify: (answer: RawAnswer) => void,
): Promise<readonly Subject[]> {
  const { other } = bench;
  if (other === undefined) return [];
  const server = { name: OTHER, pid: other.program.pid, close: async () => undefined };
  return [(await httpSubject(bench, server, orderFor(other), verify)).subject];
}
