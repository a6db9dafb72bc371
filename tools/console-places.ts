/** The place in the console where a person does what a command does, or why there is none. */
export type ConsolePlace =
  | {
      /** The folder of the page below `src/console/pages`. */
      readonly page: string;
      /** Its heading, where it is not that of the folder. */
      readonly heading?: string;
      /** The operation that the page calls, where the command has another one or several. */
      readonly operation?: string;
    }
  | { readonly reason: string };

const BY_FILES = { reason: 'files say how the registry is to be, and a person changes them in an editor' };
const OF_MINUTES = {
  reason: 'a request for a sign-in lives for minutes, and the person who is asked refuses it on a page',
};
const OF_MACHINE = { reason: 'it has no operation over HTTP' };

/** Every command of `src/cli/remote/operations.ts`. */
export const CONSOLE_PLACES: Readonly<Record<string, ConsolePlace>> = {
  'clients list': { page: 'clients' },
  'clients show': { page: 'clients' },
  'clients create': { page: 'clients' },
  'clients update': { page: 'clients', operation: 'admin-client-patch' },
  'clients delete': { page: 'clients' },
  'clients versions': { page: 'clients' },
  'clients diff': { page: 'clients' },
  'clients restore': { page: 'clients' },
  'clients deleted': { page: 'clients' },
  'clients fapi-report': {
    reason: 'the profile is a setting, and the operator who changes it reads the report at the same terminal',
  },
  'clients refresh': OF_MACHINE,
  'clients rotate-secret': { page: 'clients' },
  'clients secrets': { page: 'clients' },
  'clients retire-secret': { page: 'clients' },
  'clients prune': { reason: 'the servers do it where registration.idle-client-lifetime is set' },
  'clients export': OF_MACHINE,
  'clients import': OF_MACHINE,
  'backup create': { page: 'backups', operation: 'admin-backup-create' },
  'backup verify': { page: 'backups', operation: 'admin-backup-verify' },
  'backup list': { page: 'backups' },
  'backup download': { page: 'backups', operation: 'admin-backup-download' },
  'backup delete': { page: 'backups' },
  plan: BY_FILES,
  apply: BY_FILES,
  'iat create': { page: 'initial-tokens' },
  'iat list': { page: 'initial-tokens' },
  'iat revoke': { page: 'initial-tokens' },
  'token introspect': OF_MACHINE,
  'accounts add': { page: 'accounts' },
  'accounts list': { page: 'accounts' },
  'accounts show': { page: 'accounts' },
  'accounts update': { page: 'accounts' },
  'accounts disable': { page: 'accounts' },
  'accounts enable': { page: 'accounts' },
  'accounts set-password': { page: 'accounts' },
  'accounts delete': { page: 'accounts' },
  'accounts role': { page: 'accounts' },
  'sessions list': { page: 'sessions' },
  'sessions end': { page: 'sessions', operation: 'admin-session-end' },
  'grants list': { page: 'sessions', heading: 'Grants' },
  'grants revoke': { page: 'sessions', heading: 'Grants' },
  'consents list': { page: 'sessions', heading: 'Grants: consents' },
  'consents withdraw': { page: 'sessions', heading: 'Grants: consents' },
  'logouts list': OF_MACHINE,
  'federation members': { page: 'federation' },
  'federation show': { page: 'federation' },
  'federation refresh': { page: 'federation' },
  'federation remove': { page: 'federation' },
  'federation resolve': { page: 'federation', operation: 'admin-federation-resolve' },
  'federation entity-configuration': OF_MACHINE,
  'federation trust-anchors show': { page: 'federation' },
  'federation trust-anchors accept': { page: 'federation' },
  'federation trust-anchors reset': { page: 'federation' },
  'requests list': OF_MINUTES,
  'requests refuse': OF_MINUTES,
  'audit list': { page: 'audit' },
  'audit tail': { page: 'audit' },
  'keys list': { page: 'keys' },
  'keys history': {
    reason: 'a key that is gone is looked for by those who examine an old token with other commands',
  },
  'keys import': { reason: 'private keys pass through no browser, where extensions could read them' },
  'keys rotate': { page: 'keys' },
  'keys revoke': { page: 'keys' },
  'streams list': { page: 'clients', heading: 'Clients: event streams' },
  'streams show': {
    page: 'clients',
    heading: 'Clients: event streams',
    operation: 'admin-event-stream-list',
  },
  'streams enable': { page: 'clients', heading: 'Clients: event streams' },
  'streams pause': { page: 'clients', heading: 'Clients: event streams' },
  'streams disable': { page: 'clients', heading: 'Clients: event streams' },
  'streams delete': { page: 'clients', heading: 'Clients: event streams' },
  'streams redeliver': { page: 'clients', heading: 'Clients: event streams' },
  'streams drop': { page: 'clients', heading: 'Clients: event streams' },
  'tenants list': { page: 'tenants' },
  'tenants create': { page: 'tenants' },
  'tenants update': { page: 'tenants' },
  'tenants disable': { page: 'tenants' },
  'tenants enable': { page: 'tenants' },
  'tenants delete': { page: 'tenants' },
  'webhooks create': { page: 'webhooks' },
  'webhooks delete': { page: 'webhooks' },
  'webhooks deliveries': { page: 'webhooks' },
  'webhooks disable': { page: 'webhooks' },
  'webhooks drop': { page: 'webhooks' },
  'webhooks enable': { page: 'webhooks' },
  'webhooks list': { page: 'webhooks' },
  'webhooks redeliver': { page: 'webhooks' },
  'webhooks rotate-secret': { page: 'webhooks' },
  'webhooks show': { page: 'webhooks' },
  'webhooks test': { page: 'webhooks' },
  'webhooks update': { page: 'webhooks' },
};
