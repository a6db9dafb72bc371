import type { Settings } from '../config/settings.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { SessionNeeds } from '../sessions/browser-session.ts';
import type { InteractionNeeds } from '../sessions/interaction.ts';
import type { AccountNeeds } from '../sessions/manage-account.ts';
import type { PasswordSignInNeeds } from '../sessions/password-sign-in.ts';
import { type LoggedLine, QUICK, START, type TestPlatformOptions } from './platform.ts';
import { type TestTenant, testTenant } from './tenant.ts';

export { QUICK, START };

export const ACTOR = { actor: 'cli', request_id: 'test' } as const;
export const ADA = { username: 'Ada', password: 'correct horse', claims: { email: 'ada@example.com' } };

/** The sign-in of end-users of a test tenant. */
export interface TestEndUsers {
  readonly storage: TenantStorage;
  readonly lines: readonly LoggedLine[];
  readonly accounts: AccountNeeds;
  readonly signIn: PasswordSignInNeeds;
  readonly sessions: SessionNeeds;
  readonly interactions: InteractionNeeds;
  /** Moves the clock forward. */
  pass(seconds: number): void;
}

/** Opens a tenant with these settings, and returns its sign-in of end-users. */
export async function testEndUsers(
  settings: Partial<Settings> = {},
  platform: TestPlatformOptions = {},
): Promise<TestEndUsers> {
  return await endUsersOf(testTenant({ ...platform, settings }));
}

export async function endUsersOf(tenant: TestTenant): Promise<TestEndUsers> {
  const { endUsers } = await tenant.opened();
  const { accounts, passwordSignIn: signIn, sessions, interactions } = endUsers;
  const { storage, log: lines, clock } = tenant;
  const pass: TestEndUsers['pass'] = (seconds) => clock.advance(seconds);
  return { storage, lines, accounts, signIn, sessions, interactions, pass };
}
