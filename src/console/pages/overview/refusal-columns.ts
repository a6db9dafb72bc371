import type { AdminRefusal } from '../../../client/client.ts';
import { t } from '../../state/messages.ts';
import { href } from '../../state/route.ts';
import { badge } from '../../view/controls.ts';
import { a, code, span } from '../../view/elements.ts';
import type { Column } from '../../view/list.ts';
import { when } from '../../view/time.ts';

export const refusalKey = ({ request_id, at }: Pick<AdminRefusal, 'request_id' | 'at'>): string =>
  `${request_id} ${at}`;

const client = (): Column<AdminRefusal> => ({
  label: t('clients.client'),
  cell: ({ client_id }) =>
    client_id === '' ? null : a({ href: href(['clients', client_id]) }, code(null, client_id)),
});

/** The columns of refused requests. @param isOfOne leaves the client out: all are of one */
export function refusalColumns(isOfOne: boolean): readonly Column<AdminRefusal>[] {
  return [
    {
      label: t('overview.endpoint'),
      cell: ({ endpoint, error }) => [span({ class: 'title' }, endpoint), span({ class: 'sub' }, error)],
    },
    {
      label: t('refusals.reason'),
      cell: ({ reason, detail }) => [badge(reason, 'warn'), span({ class: 'sub' }, detail)],
    },
    ...(isOfOne ? [] : [client()]),
    { label: t('refusals.at'), cell: ({ at }) => when(at) },
  ];
}
