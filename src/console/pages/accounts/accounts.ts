import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminAccount } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { setting } from '../../state/into.ts';
import { t, tWord } from '../../state/messages.ts';
import { href } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { action, badge } from '../../view/controls.ts';
import { a, code, component, div, span } from '../../view/elements.ts';
import type { Column } from '../../view/list.ts';
import { type ItemPage, listPage } from '../../view/list-page.ts';
import { pageHead } from '../../view/page.ts';
import { when } from '../../view/time.ts';
import { accountPage } from './account.ts';
import { fullNameOf, ROLES } from './describe.ts';
import { newAccount } from './new-account.ts';

/** The accounts, or one of them. */
export function accounts([sub, tab = '']: readonly string[]): VNode {
  return sub === undefined ? component(Accounts, {}) : accountPage({ sub, tab, key: sub });
}

function Accounts(): VNode {
  const isMaking = useSignal(false);
  const version = useSignal(0);
  return div(
    null,
    pageHead({
      title: t('accounts'),
      lead: t('accounts.lead'),
      actions: may('admin:accounts')
        ? action({ label: t('accounts.new'), icon: 'add', kind: 'primary', onClick: setting(isMaking, true) })
        : undefined,
    }),
    listPage<AdminAccount>({
      label: t('accounts'),
      search: { name: 'q', label: t('accounts.search') },
      filters: [
        {
          name: 'role',
          label: t('accounts.role'),
          choices: ROLES.map((value) => ({ value, label: tWord('role', value) })),
        },
        {
          name: 'state',
          label: t('state'),
          choices: ['enabled', 'disabled'].map((value) => ({ value, label: tWord('accounts.state', value) })),
        },
      ],
      load: async (query) => (await api.adminAccountList({ query })) as ItemPage<AdminAccount>,
      keyOf: ({ sub }) => sub,
      columns,
      empty: { icon: 'account', title: t('accounts.none'), text: t('accounts.none.text') },
      version: version.value,
    }),
    isMaking.value
      ? newAccount({
          close: () => {
            isMaking.value = false;
            version.value += 1;
          },
        })
      : null,
  );
}

function columns(): readonly Column<AdminAccount>[] {
  return [
    {
      label: t('accounts.account'),
      cell: (account) => [
        a({ class: 'title', href: href(['accounts', account.sub]) }, account.username),
        span({ class: 'sub' }, fullNameOf(account)),
      ],
    },
    {
      label: t('accounts.role'),
      cell: ({ admin_role }) => (admin_role === null ? null : badge(tWord('role', admin_role), 'accent')),
    },
    {
      label: t('state'),
      cell: ({ disabled }) =>
        disabled ? badge(t('accounts.state.disabled'), 'bad') : badge(t('accounts.state.enabled'), 'good'),
    },
    { label: t('client.created_at'), cell: ({ created_at }) => when(created_at) },
    { label: t('people.sub'), cell: ({ sub }) => code({ class: 'muted' }, sub) },
  ];
}
