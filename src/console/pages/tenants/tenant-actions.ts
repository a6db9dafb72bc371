import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminTenantRows } from '../../../client/client.ts';
import { serverApi } from '../../state/api.ts';
import { setting } from '../../state/into.ts';
import { useLoaded } from '../../state/load.ts';
import { type MessageKey, number, t } from '../../state/messages.ts';
import { go, hrefOf } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { confirmed, type Reason } from '../../view/confirm.ts';
import { action, actionLink, menu } from '../../view/controls.ts';
import { component, div, p } from '../../view/elements.ts';
import { facts } from '../../view/facts.ts';
import type { IconName } from '../../view/icon.ts';
import type { ItemPage } from '../../view/list-page.ts';
import { failed, skeleton } from '../../view/page.ts';
import { maySwitch } from '../../view/tenant-switch.ts';
import type { VersionedTenant } from './describe.ts';

interface ActionsProps extends VersionedTenant {
  readonly reload: () => void;
}

type Act = 'disable' | 'enable' | 'delete';

const ICONS: Readonly<Record<Act, IconName>> = { disable: 'close', enable: 'check', delete: 'trash' };

/** A tenant in service cannot be deleted: it must be disabled first. */
const OFFERED: Readonly<Record<VersionedTenant['tenant']['state'], readonly Act[]>> = {
  active: ['disable'],
  disabled: ['enable', 'delete'],
  deleting: ['delete'],
  deleted: [],
};

export const tenantActions = (props: ActionsProps): VNode => component(TenantActions, props);

function TenantActions(props: ActionsProps): VNode | null {
  const act = useSignal<Act | undefined>(undefined);
  const { id, state } = props.tenant;
  const offered = may('admin:tenants') ? OFFERED[state] : [];
  const close = setting(act, undefined);
  return div(
    { class: 'actions' },
    state === 'active' && maySwitch()
      ? actionLink({ label: t('tenant.administer'), kind: 'primary', to: hrefOf(id, []) })
      : null,
    offered.length === 0
      ? null
      : menu({
          label: t('actions'),
          children: (closeMenu) =>
            offered.map((name) =>
              action({
                label: t(`tenants.${name}`),
                icon: ICONS[name],
                kind: 'plain',
                onClick: () => {
                  act.value = name;
                  closeMenu();
                },
              }),
            ),
        }),
    act.value === undefined
      ? null
      : confirmed({
          title: t(`tenants.${act.value}.title`, id),
          text: t(`tenants.${act.value}.text` as MessageKey),
          label: t(`tenants.${act.value}`),
          harmless: act.value === 'enable',
          ...(act.value === 'delete' ? { typed: id, more: component(Contents, { id }) } : {}),
          close,
          act: async (reason) => await done(act.value ?? 'enable', props, reason),
        }),
  );
}

/** Shows how many rows a deletion removes. */
function Contents({ id }: { readonly id: string }): VNode {
  const { value, problem, reload } = useLoaded(
    id,
    async () => (await serverApi.adminTenantRows({ id, query: { limit: 200 } })) as ItemPage<AdminTenantRows>,
  );
  if (problem !== undefined) return failed(problem, reload);
  if (value === undefined) return skeleton(3);
  if (value.items.length === 0) return p({ class: 'muted' }, t('tenants.rows.none'));
  return facts(
    value.items.map(({ table, rows, more }) => [table, more ? t('tenants.rows.more', rows) : number(rows)]),
  );
}

/** Does an act, and offers the way back where there is one. */
async function done(act: Act, { tenant: { id }, etag, reload }: ActionsProps, reason: Reason): Promise<void> {
  switch (act) {
    case 'disable':
      await serverApi.adminTenantDisable({ id, ...reason });
      toast(t('tenants.disabled'), async () => {
        await serverApi.adminTenantEnable({ id });
        reload();
      });
      break;
    case 'enable':
      await serverApi.adminTenantEnable({ id, ...reason });
      toast(t('tenants.enabled'), async () => {
        await serverApi.adminTenantDisable({ id });
        reload();
      });
      break;
    case 'delete':
      await serverApi.adminTenantDelete({ id, 'if-match': etag, ...reason });
      toast(t('tenants.deleted'));
      go(['tenants']);
      return;
  }
  reload();
}
