import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminBackup } from '../../../client/client.ts';
import { serverApi, wordsOf } from '../../state/api.ts';
import { setting } from '../../state/into.ts';
import { number, t } from '../../state/messages.ts';
import { may } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { confirmed } from '../../view/confirm.ts';
import { action, copyable, notice } from '../../view/controls.ts';
import { dialog } from '../../view/dialog.ts';
import { code, component } from '../../view/elements.ts';
import { facts } from '../../view/facts.ts';
import { dateText } from '../../view/time.ts';
import { bytesText, isUnderWay, stateBadge, verificationBadge } from './describe.ts';

interface BackupProps {
  readonly backup: AdminBackup;
  readonly changed: () => void;
  readonly close: () => void;
}

export const backupDialog = (props: BackupProps): VNode => component(Backup, props);

/** One backup, with the acts on it. */
function Backup({ backup, changed, close }: BackupProps): VNode {
  const isDeleting = useSignal(false);
  const problem = useSignal<string | undefined>(undefined);
  const { id, state } = backup;
  const verify = async (): Promise<void> => {
    problem.value = undefined;
    try {
      await serverApi.adminBackupVerify({ id });
      changed();
    } catch (failure) {
      problem.value = wordsOf(failure);
    }
  };
  if (isDeleting.value)
    return confirmed({
      title: t('backups.delete.title'),
      text: t('backups.delete.text'),
      name: id,
      label: t('backups.delete'),
      close: setting(isDeleting, false),
      act: async (reason) => {
        await serverApi.adminBackupDelete({ id, 'if-match': '*', ...reason });
        toast(t('backups.deleted'));
        changed();
        close();
      },
    });
  return dialog({
    title: t('backups.of', dateText(backup.requested_at)),
    close,
    wide: true,
    children: [content(backup), problem.value === undefined ? null : notice('bad', problem.value)],
    foot: may('admin:backups')
      ? [
          action({ label: t('backups.delete'), kind: 'danger-quiet', onClick: setting(isDeleting, true) }),
          action({
            label: t('backups.verify'),
            kind: 'primary',
            disabled: state !== 'complete' || isUnderWay(backup),
            onClick: () => void verify(),
          }),
        ]
      : undefined,
  });
}

function content(backup: AdminBackup): VNode {
  const { id, taken_at, bytes, rows, program, schema, encryption_key, sha256, verification } = backup;
  const tables = verification?.tables ?? [];
  return facts([
    [t('backups.id'), code(null, id)],
    [t('state'), stateBadge(backup)],
    [t('backups.taken_at'), taken_at === null ? '–' : dateText(taken_at)],
    [t('backups.size'), bytes === null ? '–' : bytesText(bytes)],
    [t('backups.rows'), rows === null ? '–' : number(rows)],
    [t('backups.verified'), verificationBadge(backup) ?? '–'],
    ...(tables.length === 0 ? [] : [[t('backups.tables'), code(null, tables.join(', '))] as const]),
    [t('backups.program'), program === null ? '–' : `${program} · ${t('backups.schema', schema ?? 0)}`],
    [t('backups.key'), encryption_key === null ? '–' : code(null, encryption_key)],
    ['SHA-256', sha256 === null ? '–' : copyable(sha256)],
  ]);
}
