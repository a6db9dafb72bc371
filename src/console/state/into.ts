import type { Signal } from '@preact/signals';

/** Returns a function that puts what it is given into a signal: for fields. */
export const into =
  <Value>(signal: Signal<Value>): ((value: Value) => void) =>
  (value) => {
    signal.value = value;
  };

/** Returns a function that puts one value into a signal: for buttons. */
export const setting =
  <Value>(signal: Signal<Value>, value: Value): (() => void) =>
  () => {
    signal.value = value;
  };
