import { useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { wordsOf } from '../state/api.ts';
import { auditReason } from '../state/audit-reason.ts';
import { into } from '../state/into.ts';
import { t } from '../state/messages.ts';
import { action, notice } from './controls.ts';
import { dialog } from './dialog.ts';
import { code, component, p } from './elements.ts';
import { textField } from './fields.ts';

/** The members of a request that every change may have. */
export type Reason = ReturnType<typeof auditReason>;

interface ConfirmProps {
  readonly title: string;
  readonly text: ComponentChildren;
  /** The object of the act. */
  readonly name?: string;
  readonly label: string;
  readonly harmless?: boolean;
  readonly more?: ComponentChildren;
  readonly close: () => void;
  readonly act: (reason: Reason) => Promise<void>;
}

/** Asks before an act that other people notice, and for the reason that the audit keeps. */
function Confirm({ title, text, name, label, harmless = false, more, close, act }: ConfirmProps): VNode {
  const why = useSignal('');
  const busy = useSignal(false);
  const problem = useSignal<string | undefined>(undefined);
  const run = async (): Promise<void> => {
    busy.value = true;
    problem.value = undefined;
    try {
      await act(auditReason(why.value));
      close();
    } catch (failure) {
      problem.value = wordsOf(failure);
    } finally {
      busy.value = false;
    }
  };
  return dialog({
    title,
    close,
    onSubmit: () => void run(),
    children: [
      p({ class: 'muted' }, text),
      name === undefined ? null : p(null, code(null, name)),
      more,
      reasonField(why.value, into(why)),
      problem.value === undefined ? null : notice('bad', problem.value),
    ],
    foot: [
      action({ label: t('cancel'), onClick: close }),
      action({ label, kind: harmless ? 'primary' : 'danger', submit: true, disabled: busy.value }),
    ],
  });
}

export const confirmed = (props: ConfirmProps): VNode => component(Confirm, props);

export function reasonField(value: string, onInput: (value: string) => void): VNode {
  return textField({ label: t('reason'), hint: t('reason.hint'), value, onInput });
}
