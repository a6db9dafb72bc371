import type { VNode } from 'preact';
import { isAbsent } from '../../state/api.ts';
import { type Loaded, useLoaded } from '../../state/load.ts';
import { type MessageKey, t } from '../../state/messages.ts';
import { href } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { component, div } from '../../view/elements.ts';
import { card, empty, failed, pageHead, skeleton, tabs } from '../../view/page.ts';
import { tokenList } from '../sessions/lists.ts';
import { clientActions } from './client-actions.ts';
import { clientNow, nameOf, type Versioned } from './describe.ts';
import { clientFapi } from './fapi.ts';
import { clientHistory } from './history.ts';
import { metadataEditor } from './metadata-editor.ts';
import { refusals } from './refusals.ts';
import { secrets } from './secrets.ts';
import { streams } from './streams.ts';
import { clientSummary } from './summary.ts';

interface ClientPageProps {
  readonly client_id: string;
  readonly tab: string;
  readonly key: string;
}

export const clientPage = (props: ClientPageProps): VNode => component(ClientPage, props);

interface TabRow {
  readonly name: string;
  readonly label: MessageKey;
  readonly scope?: string;
  readonly show: (found: Versioned, reload: () => void) => VNode;
}

const TABS: readonly TabRow[] = [
  { name: '', label: 'client.summary', show: ({ client }) => clientSummary(client) },
  {
    name: 'metadata',
    label: 'client.metadata',
    show: (found, reload) => metadataEditor({ ...found, reload, form: true }),
  },
  {
    name: 'json',
    label: 'client.json',
    show: (found, reload) => metadataEditor({ ...found, reload, form: false }),
  },
  {
    name: 'secrets',
    label: 'client.secrets',
    show: ({ client }, reload) => secrets({ client, reload }),
  },
  {
    name: 'tokens',
    label: 'tokens',
    scope: 'admin:sessions:read',
    show: ({ client: { client_id } }) => tokenList({ client_id }),
  },
  {
    name: 'streams',
    label: 'streams',
    show: ({ client: { client_id } }) => streams(client_id),
  },
  {
    name: 'fapi',
    label: 'fapi',
    show: ({ client: { client_id } }) => clientFapi(client_id),
  },
  {
    name: 'history',
    label: 'client.history',
    show: ({ client: { client_id } }, reload) => clientHistory({ client_id, reload }),
  },
  {
    name: 'refusals',
    label: 'client.refusals',
    scope: 'admin:audit:read',
    show: ({ client }) => refusals(client.client_id),
  },
];

function ClientPage({ client_id, tab }: ClientPageProps): VNode {
  const loaded = useLoaded(client_id, async () => await clientNow(client_id));
  const up = { to: href(['clients']), label: t('clients') };
  const { value, problem, failure, reload } = loaded;
  if (value === undefined) {
    return div(
      null,
      pageHead({ title: client_id, up }),
      card(undefined, absent(failure, problem, reload) ?? skeleton(), { flush: true }),
    );
  }
  const rows = TABS.filter(({ scope }) => scope === undefined || may(scope));
  const current = rows.find(({ name }) => name === tab) ?? rows[0];
  return div(
    null,
    pageHead({
      title: nameOf(value.client),
      lead: client_id,
      up,
      actions: clientActions({ ...value, reload }),
    }),
    tabs(
      t('client.tabs'),
      rows.map(({ name, label }) => ({
        to: href(['clients', client_id, ...(name === '' ? [] : [name])]),
        label: t(label),
        current: name === current?.name,
      })),
    ),
    current === undefined ? null : div({ key: current.name }, current.show(value, reload)),
  );
}

function absent(
  failure: unknown,
  problem: Loaded<unknown>['problem'],
  reload: () => void,
): VNode | undefined {
  if (isAbsent(failure)) return empty('client', t('client.absent'), t('client.absent.text'));
  return problem === undefined ? undefined : failed(problem, reload);
}
