import type { SessionId } from '../spec/identifiers.ts';

/** Says how the end-user of a grant was authenticated and which claims the client requested by name, for ID tokens and UserInfo. */
export interface EndUserContext {
  /** Null without a session: the end-user gave the password to the client. */
  readonly sid: SessionId | null;
  /** Seconds since the Unix epoch. */
  readonly auth_time: number;
  readonly acr: string | null;
  readonly amr: readonly string[];
  /** Names of claims (OpenID Connect Core 1.0 §5.5). */
  readonly claims: { readonly userinfo: readonly string[]; readonly id_token: readonly string[] };
}
