import type { VNode } from 'preact';
import type { MessageKey } from '../state/messages.ts';
import type { IconName } from '../view/icon.ts';
import { accounts } from './accounts/accounts.ts';
import { audit } from './audit/audit.ts';
import { backups } from './backups/backups.ts';
import { clients } from './clients/clients.ts';
import { federation } from './federation/federation.ts';
import { initialTokens } from './initial-tokens/initial-tokens.ts';
import { keys } from './keys/keys.ts';
import { overview } from './overview/overview.ts';
import { requests } from './requests/requests.ts';
import { grants, sessions } from './sessions/sessions.ts';
import { settings } from './settings/settings.ts';
import { tenants } from './tenants/tenants.ts';
import { webhooks } from './webhooks/webhooks.ts';

/** A page of the console, as the navigation and the router know it. */
export interface Place {
  /** The first segment of its address. */
  readonly name: string;
  readonly label: MessageKey;
  readonly icon: IconName;
  /** The scope value without which the page is not offered. */
  readonly scope: string;
  /** Whether the page is about the whole server, whichever tenant the console administers. */
  readonly ofServer?: true;
  /** @param path the segments behind the first */
  readonly show: (path: readonly string[]) => VNode;
}

interface PlaceGroup {
  readonly label: MessageKey | undefined;
  readonly places: readonly Place[];
}

export const GROUPS: readonly PlaceGroup[] = [
  {
    label: undefined,
    places: [{ name: '', label: 'overview', icon: 'overview', scope: 'admin:settings:read', show: overview }],
  },
  {
    label: 'group.registry',
    places: [
      { name: 'clients', label: 'clients', icon: 'client', scope: 'admin:clients:read', show: clients },
      {
        name: 'initial-access-tokens',
        label: 'iat',
        icon: 'token',
        scope: 'admin:tokens:read',
        show: initialTokens,
      },
    ],
  },
  {
    label: 'group.people',
    places: [
      { name: 'accounts', label: 'accounts', icon: 'account', scope: 'admin:accounts:read', show: accounts },
      { name: 'sessions', label: 'sessions', icon: 'session', scope: 'admin:sessions:read', show: sessions },
      {
        name: 'requests',
        label: 'requests',
        icon: 'live',
        scope: 'admin:sessions:read',
        show: requests,
      },
      { name: 'grants', label: 'grants', icon: 'grant', scope: 'admin:sessions:read', show: grants },
    ],
  },
  {
    label: 'group.trust',
    places: [
      { name: 'keys', label: 'keys', icon: 'key', scope: 'admin:keys:read', show: keys },
      {
        name: 'federation',
        label: 'federation',
        icon: 'federation',
        scope: 'admin:federation:read',
        show: federation,
      },
    ],
  },
  {
    label: 'group.server',
    places: [
      { name: 'audit', label: 'audit', icon: 'audit', scope: 'admin:audit:read', show: audit },
      {
        name: 'webhooks',
        label: 'webhooks',
        icon: 'webhook',
        scope: 'admin:webhooks:read',
        show: webhooks,
      },
      {
        name: 'settings',
        label: 'settings',
        icon: 'settings',
        scope: 'admin:settings:read',
        show: settings,
      },
      {
        name: 'backups',
        label: 'backups',
        icon: 'backup',
        scope: 'admin:backups:read',
        ofServer: true,
        show: backups,
      },
      {
        name: 'tenants',
        label: 'tenants',
        icon: 'tenant',
        scope: 'admin:tenants:read',
        ofServer: true,
        show: tenants,
      },
    ],
  },
];
