import type { VNode } from 'preact';
import type { AdminAccessToken, AdminConsent, AdminGrant, AdminSession } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { t } from '../../state/messages.ts';
import { component, span } from '../../view/elements.ts';
import { client, clientLink, EndableList, person, scope, type Whose } from '../../view/endable-list.ts';
import { when } from '../../view/time.ts';

export const sessionList = (whose: Whose): VNode =>
  component(EndableList<AdminSession>, {
    name: 'sessions',
    whose,
    load: async (query) => await api.adminSessionList({ query }),
    keyOf: ({ sid }) => sid,
    nameOf: ({ username, sub }) => username ?? sub,
    columns: [
      person(),
      {
        label: t('sessions.clients'),
        cell: ({ clients }) =>
          span(
            { class: 'badges' },
            clients.map((one) => span({ key: one.client_id }, clientLink(one))),
          ),
      },
      { label: t('sessions.auth_time'), cell: ({ auth_time }) => when(auth_time) },
      { label: t('sessions.last_seen_at'), cell: ({ last_seen_at }) => when(last_seen_at) },
      { label: t('client.expires_at'), cell: ({ expires_at }) => when(expires_at) },
    ],
    end: async ({ sid }, reason) => await api.adminSessionEnd({ sid, ...reason }),
  });

export const grantList = (whose: Whose): VNode =>
  component(EndableList<AdminGrant>, {
    name: 'grants',
    whose,
    load: async (query) => await api.adminGrantList({ query }),
    keyOf: ({ grant_id }) => grant_id,
    nameOf: ({ username, sub, client_name, client_id }) => `${username ?? sub} · ${client_name ?? client_id}`,
    columns: [
      person(),
      client(),
      scope(),
      { label: t('client.created_at'), cell: ({ created_at }) => when(created_at) },
      { label: t('client.expires_at'), cell: ({ expires_at }) => when(expires_at) },
    ],
    end: async ({ grant_id }, reason) => await api.adminGrantRevoke({ grant_id, ...reason }),
  });

export const consentList = (whose: Whose): VNode =>
  component(EndableList<AdminConsent>, {
    name: 'consents',
    whose,
    load: async (query) => await api.adminConsentList({ query }),
    keyOf: ({ sub, client_id }) => `${sub} ${client_id}`,
    nameOf: ({ username, sub, client_name, client_id }) => `${username ?? sub} · ${client_name ?? client_id}`,
    columns: [
      person(),
      client(),
      scope(),
      { label: t('consents.granted_at'), cell: ({ granted_at }) => when(granted_at) },
    ],
    end: async ({ sub, client_id }, reason) => await api.adminConsentWithdraw({ sub, client_id, ...reason }),
  });

export const tokenList = (whose: Whose): VNode =>
  component(EndableList<AdminAccessToken>, {
    name: 'tokens',
    whose,
    load: async (query) => await api.adminAccessTokenList({ query }),
    keyOf: ({ token_id }) => token_id,
    nameOf: ({ username, sub, client_name, client_id }) => `${username ?? sub} · ${client_name ?? client_id}`,
    columns: [
      person(),
      client(),
      scope(),
      { label: t('tokens.issued_at'), cell: ({ issued_at }) => when(issued_at) },
      { label: t('client.expires_at'), cell: ({ expires_at }) => when(expires_at) },
    ],
    end: async ({ token_id }, reason) => await api.adminAccessTokenRevoke({ token_id, ...reason }),
  });
