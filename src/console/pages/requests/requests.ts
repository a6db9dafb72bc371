import type { VNode } from 'preact';
import type { AdminBackchannelRequest, AdminDeviceAuthorization } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { t, tWord } from '../../state/messages.ts';
import { href } from '../../state/route.ts';
import { badge } from '../../view/controls.ts';
import { code, component, div, span } from '../../view/elements.ts';
import { client, EndableList, person, scope } from '../../view/endable-list.ts';
import type { Column } from '../../view/list.ts';
import { pageHead, tabs } from '../../view/page.ts';
import { when } from '../../view/time.ts';

/** Shows which clients and devices without a browser wait for a person, and how the latest ended. */
export function requests([tab = '']: readonly string[]): VNode {
  const isDevices = tab === 'devices';
  return div(
    null,
    pageHead({ title: t('requests'), lead: t('requests.lead') }),
    tabs(t('requests'), [
      { to: href(['requests']), label: t('requests.clients'), current: !isDevices },
      { to: href(['requests', 'devices']), label: t('devices'), current: isDevices },
    ]),
    div({ key: tab }, isDevices ? deviceList() : requestList()),
  );
}

type Waiting = Pick<AdminDeviceAuthorization, 'state' | 'address' | 'created_at' | 'expires_at'>;

const TONES = { open: 'accent', allowed: 'good', denied: 'warn', expired: 'quiet' } as const;

const state = <Item extends Waiting>(): Column<Item> => ({
  label: t('state'),
  cell: (item) => badge(tWord('requests.state', item.state), TONES[item.state]),
});

const address = <Item extends Waiting>(): Column<Item> => ({
  label: t('sign_ins.address'),
  cell: (item) => code(null, item.address),
});

const times = <Item extends Waiting>(): readonly Column<Item>[] => [
  { label: t('requests.created_at'), cell: ({ created_at }) => when(created_at) },
  { label: t('client.expires_at'), cell: ({ expires_at }) => when(expires_at) },
];

const isOpen = (item: Pick<Waiting, 'state'>): boolean => item.state === 'open';

const requestList = (): VNode =>
  component(EndableList<AdminBackchannelRequest>, {
    name: 'requests',
    whose: {},
    load: async (query) => await api.adminBackchannelRequestList({ query }),
    keyOf: ({ id }) => id,
    nameOf: ({ username, client_name, client_id }) =>
      `${client_name ?? client_id} · ${username ?? t('people.none')}`,
    columns: [
      client(),
      person(),
      state(),
      {
        label: t('requests.message'),
        cell: ({ binding_message, problem }) => [
          span(null, binding_message),
          problem === null ? null : span({ class: 'sub' }, `${t('streams.problem')}: ${problem}`),
        ],
      },
      address(),
      ...times<AdminBackchannelRequest>(),
    ],
    isOpen,
    end: async ({ id }, reason) => await api.adminBackchannelRequestRefuse({ id, ...reason }),
  });

const deviceList = (): VNode =>
  component(EndableList<AdminDeviceAuthorization>, {
    name: 'devices',
    whose: {},
    filters: ['client_id'],
    load: async (query) => await api.adminDeviceAuthorizationList({ query }),
    keyOf: ({ id }) => id,
    nameOf: ({ client_name, client_id, address: from }) => `${client_name ?? client_id} · ${from}`,
    columns: [client(), state(), scope(), address(), ...times<AdminDeviceAuthorization>()],
    isOpen,
    end: async ({ id }, reason) => await api.adminDeviceAuthorizationRefuse({ id, ...reason }),
  });
