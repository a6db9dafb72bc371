import type { Noun } from './command.ts';

/** The nouns in the order of the help: servers, then the registry, then the database. dispatch.ts adds `help`. */
export const NOUNS: readonly Noun[] = [
  {
    name: 'dev',
    summary: 'Start a development server',
    load: async () => (await import('./dev.ts')).DEV_COMMANDS,
  },
  {
    name: 'serve',
    summary: 'Start a production server',
    load: async () => (await import('./serve.ts')).SERVE_COMMANDS,
  },
  {
    name: 'init',
    summary: 'Write the configuration of a production server',
    load: async () => (await import('./init.ts')).INIT_COMMANDS,
  },
  {
    name: 'doctor',
    summary: 'Examine an installation, or any issuer from outside',
    load: async () => (await import('./doctor.ts')).DOCTOR_COMMANDS,
  },
  {
    name: 'health',
    summary: 'Ask the server on this machine whether it serves',
    load: async () => (await import('./health.ts')).HEALTH_COMMANDS,
  },
  {
    name: 'config',
    summary: 'Check and print the settings',
    load: async () => (await import('./config.ts')).CONFIG_COMMANDS,
  },
  {
    name: 'clients',
    summary: 'Register, show, change, delete, export and import clients',
    load: async () => (await import('./clients.ts')).CLIENT_COMMANDS,
  },
  {
    name: 'plan',
    summary: 'Show what apply would change',
    load: async () => (await import('./plan.ts')).PLAN_COMMANDS,
  },
  {
    name: 'apply',
    summary: 'Change the registry so that it is as files declare it',
    load: async () => (await import('./plan.ts')).APPLY_COMMANDS,
  },
  {
    name: 'iat',
    summary: 'Create, list and revoke initial access tokens',
    load: async () => (await import('./iat.ts')).IAT_COMMANDS,
  },
  {
    name: 'token',
    summary: 'Examine an access token or a JWT',
    load: async () => (await import('./tokens.ts')).TOKEN_COMMANDS,
  },
  {
    name: 'accounts',
    summary: 'Manage the accounts of end-users',
    load: async () => [
      ...(await import('./accounts.ts')).ACCOUNT_COMMANDS,
      (await import('./account-role.ts')).accountRole,
    ],
  },
  {
    name: 'sessions',
    summary: 'List and end the sessions of an end-user',
    load: async () => (await import('./sessions.ts')).SESSION_COMMANDS,
  },
  {
    name: 'consents',
    summary: 'List and withdraw the consents of an end-user',
    load: async () => (await import('./consents.ts')).CONSENT_COMMANDS,
  },
  {
    name: 'grants',
    summary: 'List and revoke the grants of an end-user',
    load: async () => (await import('./grants.ts')).GRANT_COMMANDS,
  },
  {
    name: 'requests',
    summary: 'List and refuse the requests of clients without a browser (CIBA)',
    load: async () => (await import('./backchannel-requests.ts')).REQUEST_COMMANDS,
  },
  {
    name: 'devices',
    summary: 'List and refuse the requests of devices (RFC 8628)',
    load: async () => (await import('./device-requests.ts')).DEVICE_COMMANDS,
  },
  {
    name: 'logouts',
    summary: 'List the logout notifications to clients',
    load: async () => (await import('./sessions.ts')).LOGOUT_COMMANDS,
  },
  {
    name: 'audit',
    summary: 'List and follow the events of the audit',
    load: async () => (await import('./audit.ts')).AUDIT_COMMANDS,
  },
  {
    name: 'webhooks',
    summary: 'Manage the webhooks, which deliver the events of the audit',
    load: async () => (await import('./webhooks.ts')).WEBHOOK_COMMANDS,
  },
  {
    name: 'streams',
    summary: 'Manage the streams of security events of clients',
    load: async () => (await import('./event-streams.ts')).STREAM_COMMANDS,
  },
  {
    name: 'keys',
    summary: 'Manage the server keys and the encryption key',
    load: async () => (await import('./keys.ts')).KEY_COMMANDS,
  },
  {
    name: 'tenants',
    summary: 'Manage the tenants beside the default one',
    load: async () => (await import('./tenants.ts')).TENANT_COMMANDS,
  },
  {
    name: 'federation',
    summary: 'Manage federated clients, explain trust chains, try out a federation',
    load: async () => (await import('./federation.ts')).FEDERATION_COMMANDS,
  },
  {
    name: 'migrate',
    summary: 'Show and change the version of the database schema',
    load: async () => (await import('./migrate.ts')).MIGRATE_COMMANDS,
  },
  {
    name: 'upgrade',
    summary: 'Say what an upgrade of the program needs',
    load: async () => (await import('./upgrade.ts')).UPGRADE_COMMANDS,
  },
  {
    name: 'storage',
    summary: 'Check the database, copy it to another one, or accept a new issuer',
    load: async () => (await import('./storage.ts')).STORAGE_COMMANDS,
  },
  {
    name: 'clock',
    summary: 'Compare the clock with the time that the database remembers, and confirm it',
    load: async () => (await import('./clock.ts')).CLOCK_COMMANDS,
  },
  {
    name: 'backup',
    summary: 'Create, verify and restore backups',
    load: async () => (await import('./backup.ts')).BACKUP_COMMANDS,
  },
  {
    name: 'version',
    summary: 'Print the versions of chancery and its runtime',
    load: async () => (await import('./version.ts')).VERSION_COMMANDS,
  },
];
