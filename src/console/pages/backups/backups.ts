import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { AdminBackup } from '../../../client/client.ts';
import { isUnsupported, serverApi, wordsOf } from '../../state/api.ts';
import { into, setting } from '../../state/into.ts';
import { number, t } from '../../state/messages.ts';
import { may } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { confirmed } from '../../view/confirm.ts';
import { action } from '../../view/controls.ts';
import { code, component, div, p, span } from '../../view/elements.ts';
import type { Column } from '../../view/list.ts';
import { type ItemPage, listPage } from '../../view/list-page.ts';
import { empty, pageHead } from '../../view/page.ts';
import { dateText } from '../../view/time.ts';
import { backupDialog } from './backup.ts';
import { bytesText, isUnderWay, stateBadge, verificationBadge } from './describe.ts';
import { type Download, useDownload } from './download.ts';

export const backups = (): VNode => component(Backups, {});

/** The time between two looks at a backup that is being made or verified. */
const LOOK_MS = 1500;

/** The backups of the whole server: make one, verify it, download it, delete it. */
function Backups(): VNode {
  const isMaking = useSignal(false);
  const shown = useSignal<AdminBackup | undefined>(undefined);
  const version = useSignal(0);
  const isWaiting = useSignal(false);
  const download = useDownload();
  const changed = (): void => {
    version.value += 1;
  };
  useEffect(() => {
    if (!isWaiting.value) return undefined;
    const timer = setInterval(changed, LOOK_MS);
    return () => clearInterval(timer);
  }, [isWaiting.value]);
  return div(
    null,
    pageHead({
      title: t('backups'),
      lead: t('backups.lead'),
      actions: may('admin:backups')
        ? action({ label: t('backups.new'), icon: 'add', kind: 'primary', onClick: setting(isMaking, true) })
        : undefined,
    }),
    download.view(),
    listPage<AdminBackup>({
      label: t('backups'),
      load: async (query) => {
        const page = (await serverApi.adminBackupList({ query })) as ItemPage<AdminBackup>;
        isWaiting.value = page.items.some(isUnderWay);
        const { id } = shown.value ?? {};
        if (id !== undefined) shown.value = page.items.find((one) => one.id === id);
        return page;
      },
      keyOf: ({ id }) => id,
      columns: () => columns(into(shown), download),
      empty: { icon: 'backup', title: t('backups.none'), text: t('backups.none.text') },
      refused: (failure) =>
        isUnsupported(failure)
          ? empty('backup', t('backups.elsewhere'), p(null, wordsOf(failure)))
          : undefined,
      version: version.value,
    }),
    isMaking.value
      ? confirmed({
          title: t('backups.new.title'),
          text: t('backups.new.text'),
          label: t('backups.make'),
          harmless: true,
          close: setting(isMaking, false),
          act: async (reason) => {
            await serverApi.adminBackupCreate(reason);
            toast(t('backups.begun'));
            changed();
          },
        })
      : null,
    shown.value === undefined
      ? null
      : backupDialog({ backup: shown.value, changed, close: setting(shown, undefined) }),
  );
}

function columns(show: (backup: AdminBackup) => void, download: Download): readonly Column<AdminBackup>[] {
  return [
    {
      label: t('backups.backup'),
      cell: ({ id, requested_at }) => [
        span({ class: 'title' }, dateText(requested_at)),
        code({ class: 'sub' }, id),
      ],
    },
    { label: t('state'), cell: stateBadge },
    { label: t('backups.size'), cell: ({ bytes }) => (bytes === null ? null : bytesText(bytes)) },
    { label: t('backups.rows'), cell: ({ rows }) => (rows === null ? null : number(rows)) },
    { label: t('backups.verified'), cell: verificationBadge },
    {
      label: '',
      className: 'narrow end',
      cell: (backup) =>
        span(
          { class: 'actions' },
          backup.state === 'complete' && may('admin:backups')
            ? action({
                label: t('backups.download'),
                icon: 'download',
                size: 'tiny',
                disabled: download.isBusy,
                onClick: () => download.begin(backup),
              })
            : null,
          action({ label: t('backups.more'), size: 'tiny', onClick: () => show(backup) }),
        ),
    },
  ];
}
