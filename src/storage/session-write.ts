import type {
  AccountCreateOutcome,
  AccountReplacement,
  AccountReplaceOutcome,
  StoredAccount,
} from '../ports/account-store.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import type { ChangeOutcome } from '../ports/client-store.ts';
import type { StoredConsent } from '../ports/consent-store.ts';
import type { StoredInteraction } from '../ports/interaction-store.ts';
import type { LogoutAttempt, TakenLogoutNotification, Taking } from '../ports/logout-notification-store.ts';
import type {
  EndedSession,
  SessionClient,
  SessionConditions,
  SessionCreation,
  StoredSession,
} from '../ports/session-store.ts';
import type { Digest, SessionId, Subject, TenantId } from '../spec/identifiers.ts';

interface OfTenant {
  readonly tenant: TenantId;
}

type Sweep = OfTenant & { readonly now: number; readonly limit: number };
type InteractionTicket = Pick<StoredInteraction, 'key' | 'version'>;

/** The acts that concern end-users, as plain data that can be sent to a thread. */
export interface SessionWriteArguments {
  createAccount: OfTenant & { readonly account: StoredAccount; readonly event: AuditEvent };
  replaceAccount: OfTenant & { readonly account: StoredAccount; readonly replacement: AccountReplacement };
  deleteAccount: OfTenant & {
    readonly account: Pick<StoredAccount, 'sub' | 'version'>;
    readonly event: AuditEvent;
  };
  rememberBrowser: OfTenant & {
    readonly sub: Subject;
    readonly browser: Digest;
    readonly expires_at: number;
    readonly browsersMax: number;
  };
  sweepKnownBrowsers: Sweep;
  createSession: OfTenant & { readonly session: StoredSession; readonly conditions: SessionConditions };
  touchSession: OfTenant & {
    readonly key: Digest;
    readonly last_seen_at: number;
    readonly expires_at: number;
  };
  addSessionClient: OfTenant & {
    readonly sid: SessionId;
    readonly client: Pick<SessionClient, 'client_id' | 'instance' | 'issuer'>;
    readonly at: number;
  };
  endSession: OfTenant & { readonly key: Digest; readonly event: AuditEvent | undefined };
  endSessionsOf: OfTenant & { readonly sub: Subject; readonly except: Digest | undefined };
  sweepSessions: Sweep;
  takeLogoutNotifications: OfTenant & { readonly taking: Taking };
  settleLogoutNotification: OfTenant & {
    readonly taken: TakenLogoutNotification;
    readonly attempt: LogoutAttempt;
  };
  sweepLogoutNotifications: OfTenant & { readonly before: number; readonly limit: number };
  beginInteraction: OfTenant & { readonly interaction: StoredInteraction };
  changeInteraction: OfTenant & { readonly interaction: InteractionTicket; readonly content: string };
  completeInteraction: OfTenant & { readonly interaction: InteractionTicket };
  sweepInteractions: Sweep;
  grantConsent: OfTenant & {
    readonly consent: Pick<
      StoredConsent,
      'sub' | 'client_id' | 'instance' | 'scope' | 'claims' | 'resources'
    >;
    readonly at: number;
  };
  revokeConsent: OfTenant & {
    readonly sub: Subject;
    readonly client: Pick<StoredConsent, 'client_id' | 'instance'>;
  };
}

export interface SessionWriteResults {
  createAccount: AccountCreateOutcome;
  replaceAccount: AccountReplaceOutcome;
  deleteAccount: ChangeOutcome;
  rememberBrowser: undefined;
  sweepKnownBrowsers: number;
  createSession: SessionCreation;
  touchSession: boolean;
  addSessionClient: boolean;
  endSession: EndedSession | undefined;
  endSessionsOf: readonly EndedSession[];
  sweepSessions: number;
  takeLogoutNotifications: readonly TakenLogoutNotification[];
  settleLogoutNotification: boolean;
  sweepLogoutNotifications: number;
  beginInteraction: undefined;
  changeInteraction: ChangeOutcome;
  completeInteraction: ChangeOutcome;
  sweepInteractions: number;
  grantConsent: StoredConsent | undefined;
  revokeConsent: boolean;
}
