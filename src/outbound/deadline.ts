/** Aborts `signal` after a while, or when `within` aborts. Disposing of it stops the timer. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/** A timer that is held, where `AbortSignal.timeout` would neither keep the process alive nor outlast its last reference. */
export function deadline(ms: number, within?: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, ms);
  if (within?.aborted === true) abort();
  within?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      within?.removeEventListener('abort', abort);
    },
  };
}
