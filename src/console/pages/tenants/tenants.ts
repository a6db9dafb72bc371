import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminTenant } from '../../../client/client.ts';
import { serverApi } from '../../state/api.ts';
import { setting } from '../../state/into.ts';
import { t, tWord } from '../../state/messages.ts';
import { href, hrefOf } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { action, actionLink } from '../../view/controls.ts';
import { a, component, div, span } from '../../view/elements.ts';
import type { Column } from '../../view/list.ts';
import { type ItemPage, listPage } from '../../view/list-page.ts';
import { pageHead } from '../../view/page.ts';
import { maySwitch } from '../../view/tenant-switch.ts';
import { when } from '../../view/time.ts';
import { STATES, stateBadge } from './describe.ts';
import { newTenant } from './new-tenant.ts';
import { tenantPage } from './tenant.ts';

/** The tenants beside the default one, or one of them. */
export function tenants([id, tab = '']: readonly string[]): VNode {
  return id === undefined ? component(Tenants, {}) : tenantPage({ id, tab, key: id });
}

function Tenants(): VNode {
  const isMaking = useSignal(false);
  return div(
    null,
    pageHead({
      title: t('tenants'),
      lead: t('tenants.lead'),
      actions: may('admin:tenants')
        ? action({ label: t('tenants.new'), icon: 'add', kind: 'primary', onClick: setting(isMaking, true) })
        : undefined,
    }),
    listPage<AdminTenant>({
      label: t('tenants'),
      search: { name: 'q', label: t('tenants.search') },
      filters: [
        {
          name: 'state',
          label: t('state'),
          choices: Object.keys(STATES).map((value) => ({ value, label: tWord('tenants.state', value) })),
        },
      ],
      load: async (query) => (await serverApi.adminTenantList({ query })) as ItemPage<AdminTenant>,
      keyOf: ({ id }) => id,
      columns,
      empty: { icon: 'tenant', title: t('tenants.none'), text: t('tenants.none.text') },
    }),
    isMaking.value ? newTenant({ close: setting(isMaking, false) }) : null,
  );
}

function columns(): readonly Column<AdminTenant>[] {
  return [
    {
      label: t('tenant'),
      cell: ({ id, issuer }) => [
        a({ class: 'title', href: href(['tenants', id]) }, id),
        span({ class: 'sub' }, issuer ?? ''),
      ],
    },
    { label: t('state'), cell: stateBadge },
    { label: t('tenants.aliases'), className: 'number', cell: ({ aliases }) => countOf(aliases) },
    {
      label: t('tenants.own_settings'),
      className: 'number',
      cell: ({ settings }) => countOf(Object.keys(settings)),
    },
    { label: t('client.created_at'), cell: ({ created_at }) => when(created_at) },
    {
      label: '',
      className: 'narrow end',
      cell: ({ id, state }) =>
        state === 'active' && maySwitch()
          ? actionLink({ label: t('tenant.administer'), size: 'tiny', to: hrefOf(id, []) })
          : null,
    },
  ];
}

const countOf = (all: readonly unknown[]): string => (all.length === 0 ? '' : String(all.length));
