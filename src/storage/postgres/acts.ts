import { ACCESS_TOKEN_ACTS } from './access-token-rows.ts';
import { ACCOUNT_ACTS } from './account-rows.ts';
import type { Acts } from './act.ts';
import { AUDIT_ACTS } from './audit-rows.ts';
import { AUTHORIZATION_CODE_ACTS } from './authorization-code-rows.ts';
import { CLIENT_ACTS } from './client-acts.ts';
import { CONSENT_ACTS } from './consent-rows.ts';
import { GRANT_ACTS } from './grant-rows.ts';
import { INTERACTION_ACTS } from './interaction-rows.ts';
import { LOGOUT_NOTIFICATION_ACTS } from './logout-notification-rows.ts';
import { RATE_ACTS } from './rate-rows.ts';
import { REPLAY_ACTS } from './replay-rows.ts';
import { SERVER_KEY_ACTS } from './server-key-rows.ts';
import { SESSION_ACTS } from './session-acts.ts';
import { TENANT_ACTS } from './tenant-rows.ts';
import { WHOLE_STORAGE_ACTS } from './whole-storage-rows.ts';

/** How each act of `write.ts` is done. */
export const ACTS: Acts = {
  ...ACCESS_TOKEN_ACTS,
  ...ACCOUNT_ACTS,
  ...AUDIT_ACTS,
  ...AUTHORIZATION_CODE_ACTS,
  ...CLIENT_ACTS,
  ...CONSENT_ACTS,
  ...GRANT_ACTS,
  ...INTERACTION_ACTS,
  ...LOGOUT_NOTIFICATION_ACTS,
  ...RATE_ACTS,
  ...REPLAY_ACTS,
  ...SERVER_KEY_ACTS,
  ...SESSION_ACTS,
  ...TENANT_ACTS,
  ...WHOLE_STORAGE_ACTS,
};
