import { ADMINISTRATION } from './administration.ts';
import { AUTHORIZATION } from './authorization.ts';
import { AUTHORIZATION_DETAILS } from './authorization-details.ts';
import { BACKCHANNEL } from './backchannel.ts';
import { BACKUPS } from './backups.ts';
import { CHECKPOINT_MUTANTS } from './checkpoints.ts';
import { CLIENT_DOCUMENTS } from './client-documents.ts';
import { CLIENT_HISTORY } from './client-history.ts';
import { CLIENTS } from './clients.ts';
import { DECLARATIONS } from './declarations.ts';
import { DEVICES } from './devices.ts';
import { DISCOVERY } from './discovery.ts';
import { DPOP } from './dpop.ts';
import { EVENTS } from './events.ts';
import { FAPI } from './fapi.ts';
import { FEDERATED_CLIENTS } from './federated-clients.ts';
import { FEDERATION } from './federation.ts';
import { LIMITS } from './limits.ts';
import type { Mutant } from './mutant.ts';
import { PEOPLE } from './people.ts';
import { PROFILES } from './profiles.ts';
import { REGISTRATION } from './registration.ts';
import { SAVINGS } from './savings.ts';
import { SESSIONS } from './sessions.ts';
import { SIGNALS } from './signals.ts';
import { STEP_UP } from './step-up.ts';
import { STORAGE_POSTGRES } from './storage-postgres.ts';
import { STORAGE_SQLITE } from './storage-sqlite.ts';
import { TOKEN_EXCHANGE } from './token-exchange.ts';
import { TOKENS } from './tokens.ts';
import { TRUST_ANCHORS } from './trust-anchors.ts';

/** Every fault that the project knows how to plant, in the order in which they run. */
export const MUTANTS: readonly Mutant[] = [
  ...STORAGE_SQLITE,
  ...CHECKPOINT_MUTANTS,
  ...STORAGE_POSTGRES,
  ...TOKENS,
  ...TOKEN_EXCHANGE,
  ...DPOP,
  ...DEVICES,
  ...BACKCHANNEL,
  ...CLIENTS,
  ...CLIENT_DOCUMENTS,
  ...CLIENT_HISTORY,
  ...REGISTRATION,
  ...AUTHORIZATION,
  ...AUTHORIZATION_DETAILS,
  ...PEOPLE,
  ...PROFILES,
  ...FAPI,
  ...STEP_UP,
  ...SESSIONS,
  ...LIMITS,
  ...ADMINISTRATION,
  ...BACKUPS,
  ...DECLARATIONS,
  ...FEDERATION,
  ...TRUST_ANCHORS,
  ...EVENTS,
  ...SIGNALS,
  ...DISCOVERY,
  ...FEDERATED_CLIENTS,
  ...SAVINGS,
];
