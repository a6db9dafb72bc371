import { signal } from '@preact/signals';

export interface Toast {
  readonly id: number;
  readonly text: string;
  /** The way back of a change. */
  readonly undo?: () => Promise<void>;
}

const SHOWN_MS = 6000;
/** An undo needs time to be read and reached by keyboard (WCAG 2.2 §2.2.1: the history of the record offers it without a limit). */
const UNDO_MS = 20_000;

export const toasts = signal<readonly Toast[]>([]);
let last = 0;

/** Shows a short message. @param undo is offered beside it, and takes the change back */
export function toast(text: string, undo?: () => Promise<void>): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value.slice(-2), { id, text, ...(undo === undefined ? {} : { undo }) }];
  setTimeout(() => dismiss(id), undo === undefined ? SHOWN_MS : UNDO_MS);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}
