import type { VNode } from 'preact';
import type { AdminFapiReport } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { useLoaded } from '../../state/load.ts';
import { t, tCount, tWord } from '../../state/messages.ts';
import { href, route } from '../../state/route.ts';
import { badge } from '../../view/controls.ts';
import { a, code, component, div, p, span } from '../../view/elements.ts';
import { facts } from '../../view/facts.ts';
import { type Filter, type ItemPage, listPage } from '../../view/list-page.ts';
import { card, empty, failed, pageHead, skeleton, tabs } from '../../view/page.ts';

const SHOWN_PROFILES = ['fapi-2.0', 'fapi-2.0-message-signing'] as const;

/** Says which clients do not fit a FAPI 2.0 profile, before an operator sets it. */
export function fapiClients(): VNode {
  return div(
    null,
    pageHead({
      title: t('fapi.title'),
      lead: t('fapi.lead'),
      up: { to: href(['clients']), label: t('clients') },
    }),
    listPage<AdminFapiReport>({
      label: t('fapi.title'),
      filters: filters(),
      load: async (query) => (await api.adminFapiReport({ query })) as ItemPage<AdminFapiReport>,
      keyOf: ({ client_id }) => client_id,
      columns: () => [
        {
          label: t('clients.client'),
          cell: ({ client_id, client_name }) => [
            a({ class: 'title', href: href(['clients', client_id, 'fapi']) }, client_name ?? client_id),
            code({ class: 'sub' }, client_id),
          ],
        },
        { label: t('fapi.verdict'), cell: verdict },
        {
          label: t('fapi.lacking'),
          cell: ({ lacks }) =>
            span({ class: 'muted small' }, [...new Set(lacks.map(({ member }) => member))].join(', ')),
        },
      ],
      empty: { icon: 'check', title: t('fapi.none') },
    }),
  );
}

const filters = (): readonly Filter[] => [
  {
    name: 'profile',
    label: t('fapi.profile'),
    choices: SHOWN_PROFILES.map((value) => ({ value, label: tWord('fapi.profile', value) })),
  },
  {
    name: 'fits',
    label: t('fapi.verdict'),
    choices: ['false', 'true'].map((value) => ({ value, label: tWord('fapi.fits', value) })),
  },
];

const verdict = ({ fits, lacks }: AdminFapiReport): VNode =>
  fits ? badge(t('fapi.fits.true'), 'good') : badge(tCount('fapi.lacks', lacks.length), 'warn');

export const clientFapi = (client_id: string): VNode => component(ClientFapi, { client_id });

/** Says what one client lacks for a FAPI 2.0 profile, and how to change it. */
function ClientFapi({ client_id }: { readonly client_id: string }): VNode {
  const asked = route.value.query['profile'];
  const profile = SHOWN_PROFILES.find((one) => one === asked) ?? SHOWN_PROFILES[0];
  const { value, problem, reload } = useLoaded(`${client_id} ${profile}`, async () => {
    const { items } = await api.adminFapiReport({ query: { client_id, profile } });
    return items as readonly AdminFapiReport[];
  });
  return div(
    { class: 'stack' },
    tabs(
      t('fapi.profile'),
      SHOWN_PROFILES.map((one) => ({
        to: href(['clients', client_id, 'fapi'], { profile: one }),
        label: tWord('fapi.profile', one),
        current: one === profile,
      })),
    ),
    problem === undefined
      ? value === undefined
        ? card(undefined, skeleton(), { flush: true })
        : value.map((report) => lacksOf(report))
      : card(undefined, failed(problem, reload), { flush: true }),
  );
}

function lacksOf({ client_id, lacks }: AdminFapiReport): VNode {
  if (lacks.length === 0)
    return card(undefined, empty('check', t('fapi.fits.true'), t('fapi.fits.text')), { flush: true });
  return div(
    { class: 'stack', key: client_id },
    lacks.map(({ member, index, words, remedy }) =>
      div(
        { key: `${member} ${index}` },
        card(
          member,
          facts([
            [t('fapi.mistake'), words],
            [t('fapi.remedy'), p(null, remedy)],
          ]),
        ),
      ),
    ),
  );
}
