import type { OutboundFailure } from '../ports/outbound-http.ts';

/** Ends a fetch; turned into a `Fetched` before it leaves this folder. */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure';
  readonly reason: OutboundFailure;

  constructor(reason: OutboundFailure, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.reason = reason;
  }
}

/** `reason` with the words of the error that a step of Node ended in. */
export function failureFrom(cause: unknown, reason: OutboundFailure): FetchFailure {
  if (cause instanceof FetchFailure) return cause;
  const code = cause instanceof Error && 'code' in cause ? `${String(cause.code)}: ` : '';
  return new FetchFailure(reason, code + (cause instanceof Error ? cause.message : String(cause)), { cause });
}
