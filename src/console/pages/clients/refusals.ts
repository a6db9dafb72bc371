import type { VNode } from 'preact';
import type { AdminClientRefusal, AdminRefusal } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { t, tWord } from '../../state/messages.ts';
import { badge } from '../../view/controls.ts';
import { code, div, h2, p, span } from '../../view/elements.ts';
import { type ItemPage, listPage } from '../../view/list-page.ts';
import { when } from '../../view/time.ts';
import { refusalColumns, refusalKey } from '../overview/refusal-columns.ts';

/** Answers "why was this client refused?". */
export function refusals(client_id: string): VNode {
  return div(
    { class: 'stack' },
    p({ class: 'muted' }, t('refusals.lead')),
    h2(null, t('refusals.requests')),
    listPage<AdminRefusal>({
      label: t('refusals.requests'),
      given: { client_id },
      load: async (query) => (await api.adminRefusalList({ query })) as ItemPage<AdminRefusal>,
      keyOf: refusalKey,
      columns: () => refusalColumns(true),
      empty: { icon: 'check', title: t('refusals.requests.none') },
    }),
    h2(null, t('refusals.changes')),
    listPage<AdminClientRefusal>({
      label: t('refusals.changes'),
      given: { client_id },
      load: async ({ client_id: _of, ...query }) =>
        (await api.adminClientRefusalList({ client_id, query })) as ItemPage<AdminClientRefusal>,
      keyOf: refusalKey,
      columns: () => [
        {
          label: t('refusals.action'),
          cell: ({ action }) => span({ class: 'title' }, tWord('audit.action', action)),
        },
        {
          label: t('refusals.reason'),
          cell: ({ reason }) => (reason === null ? null : badge(reason, 'bad')),
        },
        { label: t('refusals.actor'), cell: ({ actor }) => code(null, actor) },
        { label: t('refusals.at'), cell: ({ at }) => when(at) },
        { label: t('refusals.request'), cell: ({ request_id }) => code({ class: 'muted' }, request_id) },
      ],
      empty: { icon: 'check', title: t('refusals.none'), text: t('refusals.none.text') },
    }),
  );
}
