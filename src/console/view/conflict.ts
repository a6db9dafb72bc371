import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { wordsOf } from '../state/api.ts';
import { differences, type Members } from '../state/merge-patch.ts';
import { t } from '../state/messages.ts';
import { action, notice } from './controls.ts';
import { dialog } from './dialog.ts';
import { diff } from './diff.ts';
import { component, h3, p } from './elements.ts';

interface ConflictProps {
  /** The version that the person began with. */
  readonly base: Members;
  readonly mine: Members;
  readonly theirs: Members;
  readonly close: () => void;
  readonly takeTheirs: () => void;
  readonly keepMine: () => Promise<void>;
}

/** Shows what another person changed meanwhile beside one's own changes, and lets the person choose. */
function Conflict({ base, mine, theirs, close, takeTheirs, keepMine }: ConflictProps): VNode {
  const problem = useSignal<string | undefined>(undefined);
  return dialog({
    title: t('conflict.title'),
    close,
    wide: true,
    children: [
      p({ class: 'muted' }, t('conflict.text')),
      h3(null, t('conflict.theirs')),
      diff(differences(base, theirs)),
      h3(null, t('conflict.mine')),
      diff(differences(base, mine)),
      problem.value === undefined ? null : notice('bad', problem.value),
    ],
    foot: [
      action({ label: t('cancel'), onClick: close }),
      action({ label: t('conflict.take_theirs'), onClick: takeTheirs }),
      action({
        label: t('conflict.keep_mine'),
        kind: 'primary',
        onClick: () => {
          keepMine().catch((failure: unknown) => {
            problem.value = wordsOf(failure);
          });
        },
      }),
    ],
  });
}

export const conflict = (props: ConflictProps): VNode => component(Conflict, props);
