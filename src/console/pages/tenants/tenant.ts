import type { VNode } from 'preact';
import type { AdminPreview, AdminSetting, AdminTenant } from '../../../client/client.ts';
import { apiOf, isAbsent, serverApi } from '../../state/api.ts';
import { useLoaded } from '../../state/load.ts';
import { type Members, patchBetween } from '../../state/merge-patch.ts';
import { type MessageKey, t } from '../../state/messages.ts';
import { href } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { badges, copyable } from '../../view/controls.ts';
import { code, component, div, li, pre, span, ul } from '../../view/elements.ts';
import { facts } from '../../view/facts.ts';
import type { ItemPage } from '../../view/list-page.ts';
import { card, empty, failed, pageHead, skeleton, tabs } from '../../view/page.ts';
import { type EditedRecord, recordEditor } from '../../view/record-editor.ts';
import { maySwitch } from '../../view/tenant-switch.ts';
import { when } from '../../view/time.ts';
import { settingList } from '../settings/settings.ts';
import { stateBadge, tenantNow, type VersionedTenant } from './describe.ts';
import { tenantActions } from './tenant-actions.ts';

interface TenantPageProps {
  readonly id: string;
  readonly tab: string;
  readonly key: string;
}

export const tenantPage = (props: TenantPageProps): VNode => component(TenantPage, props);

interface TabRow {
  readonly name: string;
  readonly label: MessageKey;
  readonly isOffered: (tenant: AdminTenant) => boolean;
  readonly show: (found: VersionedTenant, reload: () => void) => VNode;
}

const isKept = ({ state }: AdminTenant): boolean => state === 'active' || state === 'disabled';

const TABS: readonly TabRow[] = [
  { name: '', label: 'client.summary', isOffered: () => true, show: ({ tenant }) => summary(tenant) },
  { name: 'own', label: 'tenants.own_settings', isOffered: isKept, show: ownSettings },
  {
    name: 'effective',
    label: 'tenants.effective',
    // Only a tenant in service has an administration of its own.
    isOffered: ({ state }) => state === 'active' && maySwitch() && may('admin:settings:read'),
    show: ({ tenant: { id } }) =>
      settingList(async (query) => (await apiOf(id).adminSettingList({ query })) as ItemPage<AdminSetting>),
  },
];

function TenantPage({ id, tab }: TenantPageProps): VNode {
  const { value, problem, failure, reload } = useLoaded(id, async () => await tenantNow(id));
  const up = { to: href(['tenants']), label: t('tenants') };
  if (value === undefined) {
    const content = isAbsent(failure)
      ? empty('tenant', t('tenants.absent'))
      : problem === undefined
        ? skeleton()
        : failed(problem, reload);
    return div(null, pageHead({ title: id, up }), card(undefined, content, { flush: true }));
  }
  const { tenant } = value;
  const rows = TABS.filter(({ isOffered }) => isOffered(tenant));
  const current = rows.find(({ name }) => name === tab) ?? rows[0];
  return div(
    null,
    pageHead({
      title: id,
      lead: badges(stateBadge(tenant), tenant.issuer === null ? null : span(null, tenant.issuer)),
      up,
      actions: tenantActions({ ...value, reload }),
    }),
    tabs(
      t('tenant'),
      rows.map(({ name, label }) => ({
        to: href(['tenants', id, ...(name === '' ? [] : [name])]),
        label: t(label),
        current: name === current?.name,
      })),
    ),
    current === undefined ? null : div({ key: current.name }, current.show(value, reload)),
  );
}

function summary(tenant: AdminTenant): VNode {
  const { id, issuer, aliases, settings, created_at, disabled_at, deleted_at, cleared_at } = tenant;
  const times: readonly (readonly [MessageKey, string | null])[] = [
    ['tenants.disabled_at', disabled_at],
    ['tenants.deleted_at', deleted_at],
    ['tenants.cleared_at', cleared_at],
  ];
  return div(
    { class: 'columns' },
    card(
      t('tenant'),
      facts([
        [t('tenants.id'), copyable(id)],
        [t('tenants.issuer'), issuer === null ? t('none') : copyable(issuer)],
        [
          t('tenants.aliases'),
          aliases.length === 0
            ? t('none')
            : ul(
                { class: 'plain-list' },
                aliases.map((alias) => li({ key: alias }, code(null, alias))),
              ),
        ],
        [t('state'), stateBadge(tenant)],
        [t('client.created_at'), when(created_at)],
        ...times.flatMap(([label, at]) => (at === null ? [] : [[t(label), when(at)] as const])),
      ]),
    ),
    card(t('tenants.own_settings'), pre({ class: 'json' }, JSON.stringify(settings, undefined, 2))),
  );
}

function ownSettings(
  { tenant: { id, aliases, settings }, etag }: VersionedTenant,
  reload: () => void,
): VNode {
  return recordEditor({
    members: { aliases, settings },
    etag,
    record: recordOf(id),
    mayEdit: may('admin:tenants'),
    label: t('tenants.json'),
    hint: t('tenants.json.hint'),
    rows: 10,
    words: { title: t('tenants.save.title'), text: t('tenants.save.text'), saved: t('tenants.saved') },
    reload,
  });
}

/** A person who removes a member wants it empty. */
const whole = (members: Members): Members => ({ aliases: [], settings: {}, ...members });

const recordOf = (id: string): EditedRecord => ({
  patchBetween: (before, after) => patchBetween(whole(before), whole(after)),
  pointer: '',
  preview: async ({ etag }, body) =>
    (await serverApi.adminTenantUpdate({
      id,
      'if-match': etag,
      query: { dry_run: true },
      body,
    })) as AdminPreview,
  store: async ({ etag }, body, reason) => {
    const answer = await serverApi.call('adminTenantUpdate', { id, 'if-match': etag, body, ...reason });
    return versionOf(answer.body as AdminTenant, answer.headers);
  },
  now: async () => {
    const { tenant, etag } = await tenantNow(id);
    return { members: { aliases: tenant.aliases, settings: tenant.settings }, etag };
  },
});

const versionOf = ({ aliases, settings }: AdminTenant, headers: Headers) => ({
  members: { aliases, settings },
  etag: headers.get('etag') ?? '*',
});
