import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminAccount, AdminEnded, AdminMadePassword } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { into, setting } from '../../state/into.ts';
import { type MessageKey, t, tCount, tWord } from '../../state/messages.ts';
import { go } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { confirmed, type Reason } from '../../view/confirm.ts';
import { action, menu } from '../../view/controls.ts';
import { component, div } from '../../view/elements.ts';
import { selectField } from '../../view/fields.ts';
import type { IconName } from '../../view/icon.ts';
import { shownOnce } from '../../view/secret.ts';
import { ROLES } from './describe.ts';

interface ActionsProps {
  readonly account: AdminAccount;
  readonly etag: string;
  readonly reload: () => void;
}

type Act = 'disable' | 'enable' | 'role' | 'password' | 'end-sessions' | 'delete';

const ICONS: Readonly<Record<Act, IconName>> = {
  disable: 'close',
  enable: 'check',
  role: 'account',
  password: 'key',
  'end-sessions': 'session',
  delete: 'trash',
};

export const accountActions = (props: ActionsProps): VNode => component(AccountActions, props);

/** The acts on an account. Each that can be undone offers it. */
function AccountActions(props: ActionsProps): VNode | null {
  const act = useSignal<Act | undefined>(undefined);
  const role = useSignal<string>(props.account.admin_role ?? '');
  const made = useSignal<string | undefined>(undefined);
  const offered: readonly Act[] = [
    ...(may('admin:accounts')
      ? ([props.account.disabled ? 'enable' : 'disable', 'password', 'delete'] as const)
      : []),
    // A role is given by those who may do everything.
    ...(may('admin:accounts') && may('admin:tenants') ? (['role'] as const) : []),
    ...(may('admin:sessions') ? (['end-sessions'] as const) : []),
  ];
  if (offered.length === 0) return null;
  return div(
    { class: 'actions' },
    menu({
      label: t('actions'),
      children: (close) =>
        offered.map((name) =>
          action({
            label: t(`account.${name}`),
            icon: ICONS[name],
            kind: 'plain',
            onClick: () => {
              act.value = name;
              close();
            },
          }),
        ),
    }),
    act.value === undefined
      ? null
      : confirmed({
          title: t(`account.${act.value}.title`, props.account.username),
          text: t(`account.${act.value}.text` as MessageKey),
          label: t(`account.${act.value}`),
          harmless: act.value === 'enable' || act.value === 'role',
          more: act.value === 'role' ? roleField(role.value, into(role)) : null,
          close: setting(act, undefined),
          act: async (reason) => {
            const password = await done(act.value ?? 'enable', props, role.value, reason);
            made.value = password ?? undefined;
          },
        }),
    made.value === undefined
      ? null
      : shownOnce(
          t('account.password.made'),
          [{ label: t('account.password'), value: made.value }],
          setting(made, undefined),
        ),
  );
}

const roleField = (value: string, onInput: (role: string) => void): VNode =>
  selectField({
    label: t('accounts.role'),
    value,
    choices: [
      { value: '', label: t('none') },
      ...ROLES.map((role) => ({ value: role, label: tWord('role', role) })),
    ],
    onInput,
  });

/** Does an act, and offers the way back where there is one. Returns a password that the server made. */
async function done(
  act: Act,
  { account: { sub, admin_role }, etag, reload }: ActionsProps,
  role: string,
  reason: Reason,
): Promise<string | null | undefined> {
  switch (act) {
    case 'disable':
      await api.adminAccountDisable({ sub, ...reason });
      toast(t('account.disabled'), async () => {
        await api.adminAccountEnable({ sub });
        reload();
      });
      break;
    case 'enable':
      await api.adminAccountEnable({ sub, ...reason });
      toast(t('account.enabled'), async () => {
        await api.adminAccountDisable({ sub });
        reload();
      });
      break;
    case 'role': {
      const given = ROLES.find((one) => one === role) ?? null;
      await api.adminAccountChange({ sub, 'if-match': etag, body: { admin_role: given }, ...reason });
      toast(t('account.role.changed'), async () => {
        await api.adminAccountChange({ sub, 'if-match': '*', body: { admin_role } });
        reload();
      });
      break;
    }
    case 'password': {
      const answer = (await api.adminAccountPassword({ sub, body: {}, ...reason })) as AdminMadePassword;
      return answer.password;
    }
    case 'end-sessions': {
      const { ended } = (await api.adminAccountEndSessions({ sub, ...reason })) as AdminEnded;
      toast(tCount('account.sessions_ended', ended));
      break;
    }
    case 'delete':
      await api.adminAccountDelete({ sub, 'if-match': etag, ...reason });
      toast(t('account.deleted'));
      go(['accounts']);
      return undefined;
  }
  reload();
  return undefined;
}
