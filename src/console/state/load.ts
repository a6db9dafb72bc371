import { useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { wordsOf } from './api.ts';

export interface Loaded<Value> {
  /** The latest answer. It stays while a newer one is on its way, so that nothing flickers. */
  readonly value: Value | undefined;
  readonly busy: boolean;
  /** Why the latest attempt failed. */
  readonly problem: string | undefined;
  readonly failure: unknown;
  readonly reload: () => void;
}

interface State<Value> {
  readonly value: Value | undefined;
  readonly busy: boolean;
  readonly failure: unknown;
}

const NOTHING = { value: undefined, busy: true, failure: undefined } as const;

/**
 * Loads something, and loads it again when `key` changes. An answer that comes after a newer question is dropped.
 * @param delay_ms waits so long after a change: for fields that one types in
 */
export function useLoaded<Value>(
  key: string,
  load: () => Promise<Value>,
  { delay_ms = 0, keep = true }: { readonly delay_ms?: number; readonly keep?: boolean } = {},
): Loaded<Value> {
  const state = useSignal<State<Value>>(NOTHING);
  const question = useRef(0);
  const latest = useRef(load);
  latest.current = load;
  const run = useCallback(() => {
    question.current += 1;
    const own = question.current;
    const before = state.peek();
    state.value = { value: keep ? before.value : undefined, busy: true, failure: undefined };
    latest.current().then(
      (value) => {
        if (own === question.current) state.value = { value, busy: false, failure: undefined };
        return undefined;
      },
      (failure: unknown) => {
        if (own === question.current)
          state.value = { value: state.peek().value, busy: false, failure: failure ?? new Error('unknown') };
      },
    );
  }, []);
  const first = useRef(true);
  useEffect(() => {
    const wait = first.current ? 0 : delay_ms;
    first.current = false;
    const timer = setTimeout(run, wait);
    return () => {
      clearTimeout(timer);
      question.current += 1;
    };
  }, [key]);
  const { value, busy, failure } = state.value;
  return {
    value,
    busy,
    failure,
    problem: failure === undefined ? undefined : wordsOf(failure),
    reload: run,
  };
}
