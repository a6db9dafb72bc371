import type { VNode } from 'preact';
import type { AdminFederationMember } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { type MessageKey, t, tWord } from '../../state/messages.ts';
import { href } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { badge, badges } from '../../view/controls.ts';
import { a, code, div } from '../../view/elements.ts';
import type { Choice } from '../../view/fields.ts';
import type { Column } from '../../view/list.ts';
import { type Filter, type ItemPage, type ListQuery, listPage } from '../../view/list-page.ts';
import { pageHead, tabs } from '../../view/page.ts';
import { when } from '../../view/time.ts';
import { anchors } from './anchors.ts';
import { memberName } from './describe.ts';
import { memberPage } from './member.ts';
import { resolution } from './resolve.ts';

interface TabRow {
  readonly name: string;
  readonly label: MessageKey;
  readonly scope: string;
  readonly show: () => VNode;
}

const TABS: readonly TabRow[] = [
  { name: '', label: 'federation.members', scope: 'admin:federation:read', show: members },
  { name: 'anchors', label: 'federation.anchors', scope: 'admin:federation:read', show: anchors },
  { name: 'resolve', label: 'federation.resolve', scope: 'admin:federation', show: resolution },
];

/** The members of the federation, its trust anchors, and a search for a trust chain. */
export function federation([tab = '', client_id]: readonly string[]): VNode {
  if (tab === 'members' && client_id !== undefined) return memberPage({ client_id, key: client_id });
  const rows = TABS.filter(({ scope }) => may(scope));
  const current = rows.find(({ name }) => name === tab) ?? TABS[0];
  return div(
    null,
    pageHead({ title: t('federation'), lead: t('federation.lead') }),
    tabs(
      t('federation'),
      rows.map(({ name, label }) => ({
        to: href(['federation', ...(name === '' ? [] : [name])]),
        label: t(label),
        current: name === current?.name,
      })),
    ),
    current === undefined ? null : div({ key: current.name }, current.show()),
  );
}

const SORTS = ['client_id', 'name', '-created_at', 'created_at', '-last_used_at', 'last_used_at'];
/** Seconds until a registration ends. */
const SPANS = ['86400', '604800', '2592000'];

function members(): VNode {
  return listPage<AdminFederationMember>({
    label: t('federation.members'),
    search: { name: 'name_contains', label: t('clients.name_contains') },
    filters: filters(),
    load: async (query) =>
      (await api.adminFederationMemberList({ query: asked(query) })) as ItemPage<AdminFederationMember>,
    keyOf: ({ client_id }) => client_id,
    columns,
    empty: { icon: 'federation', title: t('federation.none'), text: t('federation.none.text') },
  });
}

/** The server takes a time for the end of a registration; the filter has a span from now on. */
function asked({ expires_before, ...query }: ListQuery): ListQuery {
  if (expires_before === undefined) return query;
  const end = new Date(Date.now() + Number(expires_before) * 1000).toISOString();
  return { ...query, expires_before: end.replace(/\.\d+Z$/u, 'Z') };
}

function filters(): readonly Filter[] {
  const words = (group: string, values: readonly string[]): readonly Choice[] =>
    values.map((value) => ({ value, label: tWord(group, value) }));
  return [
    { name: 'state', label: t('state'), choices: words('clients.state', ['active', 'expired']) },
    { name: 'expires_before', label: t('client.expires_at'), choices: words('federation.expires', SPANS) },
    { name: 'entity_id', label: t('federation.entity_id') },
    { name: 'trust_anchor', label: t('federation.anchor') },
    { name: 'sort', label: t('clients.sort'), choices: words('clients.sort', SORTS) },
  ];
}

function columns(): readonly Column<AdminFederationMember>[] {
  return [
    {
      label: t('federation.entity'),
      cell: (member) => [
        a({ class: 'title', href: href(['federation', 'members', member.client_id]) }, memberName(member)),
        code({ class: 'sub' }, member.entity_id),
      ],
    },
    {
      label: t('state'),
      cell: ({ state, failure }) =>
        badges(
          badge(tWord('clients.state', state), state === 'active' ? 'good' : 'bad'),
          failure === null ? null : badge(t('federation.renewal.failed'), 'warn'),
        ),
    },
    {
      label: t('federation.registration'),
      cell: ({ registration }) => tWord('federation.registration', registration),
    },
    { label: t('federation.anchor'), cell: ({ trust_anchor }) => code(null, trust_anchor) },
    { label: t('client.expires_at'), cell: ({ expires_at }) => when(expires_at) },
    { label: t('federation.resolved_at'), cell: ({ resolved_at }) => when(resolved_at) },
  ];
}
