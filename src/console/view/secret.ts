import type { VNode } from 'preact';
import { t } from '../state/messages.ts';
import { action, copyButton, notice } from './controls.ts';
import { dialog } from './dialog.ts';
import { code, div, p, span } from './elements.ts';

/** One value that the server shows in one answer only. */
export interface OnceShown {
  readonly label: string;
  readonly value: string;
}

/** Shows secrets once. They are in no storage and no address; closing the dialog forgets them. */
export function shownOnce(title: string, values: readonly OnceShown[], close: () => void): VNode {
  return dialog({
    title,
    close,
    children: [
      notice('warn', t('once.text')),
      values.map(({ label, value }) =>
        div(
          { key: label, class: 'field' },
          span({ class: 'label' }, label),
          p({ class: 'once' }, code(null, value), copyButton(value)),
        ),
      ),
    ],
    foot: action({ label: t('once.done'), kind: 'primary', onClick: close }),
  });
}
