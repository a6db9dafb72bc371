import { useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import type { AdminPreview } from '../../client/client.ts';
import { wordsOf } from '../state/api.ts';
import { auditReason } from '../state/audit-reason.ts';
import { into } from '../state/into.ts';
import { useLoaded } from '../state/load.ts';
import { t } from '../state/messages.ts';
import { action, notice } from './controls.ts';
import { dialog } from './dialog.ts';
import { diff } from './diff.ts';
import { code, component, div, p, span } from './elements.ts';
import { textField } from './fields.ts';
import { skeleton } from './page.ts';

/** The members of a request that every change may have. */
export type Reason = ReturnType<typeof auditReason>;

interface ConfirmProps {
  readonly title: string;
  readonly text: ComponentChildren;
  /** The object of the act. */
  readonly name?: string;
  readonly label: string;
  readonly harmless?: boolean;
  /** A text that the person must type, for an act that nothing undoes. */
  readonly typed?: string;
  readonly more?: ComponentChildren;
  /** Asks the server what the act would change: a dry run. */
  readonly preview?: () => Promise<AdminPreview>;
  readonly close: () => void;
  readonly act: (reason: Reason) => Promise<void>;
}

/** Asks before an act that other people notice, and for the reason that the audit keeps. */
function Confirm(props: ConfirmProps): VNode {
  const { title, text, name, label, harmless = false, typed, more, preview, close, act } = props;
  const why = useSignal('');
  const repeated = useSignal('');
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
  const disabled = busy.value || (typed !== undefined && repeated.value !== typed);
  return dialog({
    title,
    close,
    onSubmit: () => {
      if (!disabled) void run();
    },
    children: [
      p({ class: 'muted' }, text),
      name === undefined ? null : p(null, code(null, name)),
      more,
      preview === undefined ? null : component(Preview, { preview }),
      typed === undefined
        ? null
        : textField({ label: t('confirm.typed', typed), value: repeated.value, onInput: into(repeated) }),
      reasonField(why.value, into(why)),
      problem.value === undefined ? null : notice('bad', problem.value),
    ],
    foot: [
      action({ label: t('cancel'), onClick: close }),
      action({ label, kind: harmless ? 'primary' : 'danger', submit: true, disabled }),
    ],
  });
}

/** Shows what an act would change. */
function Preview({ preview }: { readonly preview: () => Promise<AdminPreview> }): VNode {
  const { value, problem } = useLoaded('preview', preview);
  if (problem !== undefined) return notice('bad', problem);
  if (value === undefined) return skeleton(2);
  return div(
    { class: 'stack tight' },
    span({ class: 'label' }, t('confirm.preview')),
    value.warnings.map((words) => notice('warn', words)),
    diff(value.changes),
  );
}

export const confirmed = (props: ConfirmProps): VNode => component(Confirm, props);

export function reasonField(value: string, onInput: (value: string) => void): VNode {
  return textField({ label: t('reason'), hint: t('reason.hint'), value, onInput });
}
