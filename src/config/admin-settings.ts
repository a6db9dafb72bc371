import { choice, list, SHA256_HEX } from './setting.ts';

/** Settings for the administration API. */
export const ADMIN_SETTINGS = {
  'admin.listeners': choice({
    default: 'management',
    values: ['none', 'management', 'both'],
    description:
      'Where the administration API (`/admin/v1/`) stands. `management`: on the management listener. `both`: also below each issuer, on the listener of the protocol. `none`: nowhere. Every request needs a token, whichever listener it comes to.',
  }),
  'admin.token-sha256': list({
    ...SHA256_HEX,
    description:
      'SHA-256 digests of break-glass tokens: each opens every operation of the administration API. Those of the default tenant open every tenant, those of another tenant that one alone. `LABEL:DIGEST` gives a token a name in the audit. Empty: only access tokens open it.',
  }),
};
