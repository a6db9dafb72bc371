import type { SessionId } from '../spec/identifiers.ts';

/** How the end-user of a grant was authenticated, and what the client asked to be told one by one: for ID tokens and UserInfo. */
export interface EndUserContext {
  /** Null where the grant is no part of a session: its end-user gave the password to the client. */
  readonly sid: SessionId | null;
  /** Seconds since the Unix epoch. */
  readonly auth_time: number;
  readonly acr: string | null;
  readonly amr: readonly string[];
  /** Names (OpenID Connect Core 1.0 §5.5). */
  readonly claims: { readonly userinfo: readonly string[]; readonly id_token: readonly string[] };
}
