import type { Counting } from '../../ports/metrics.ts';
import { refusalCode } from '../audit-trail.ts';

interface CountingNeeds {
  readonly metrics: Pick<Counting, 'count'>;
}

/** Counts a client that was registered or updated by a federation or a document, without a request of its own. */
export function countCreated({ metrics }: CountingNeeds): void {
  metrics.count('chancery_registrations_total', { outcome: 'created', reason: 'none' });
}

/** Counts the outcome of a registration. @throws what `act` throws */
export async function countingRegistration<T>(needs: CountingNeeds, act: () => Promise<T>): Promise<T> {
  try {
    const made = await act();
    countCreated(needs);
    return made;
  } catch (failure) {
    const reason = refusalCode(failure);
    const outcome = reason === undefined ? 'failed' : 'refused';
    needs.metrics.count('chancery_registrations_total', { outcome, reason: reason ?? 'server_error' });
    throw failure;
  }
}
