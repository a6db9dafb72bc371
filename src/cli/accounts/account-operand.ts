import type { StoredAccount } from '../../ports/account-store.ts';
import type { AccountActor } from '../../sessions/manage-account.ts';
import { NotFound } from '../../spec/errors.ts';
import { loginName } from '../../spec/login-name.ts';
import { ACTOR, type RegistrySession } from '../registry-session.ts';
import { timeText } from '../table.ts';

/** The account that an operand names. @throws NotFound */
export async function namedAccount({ tenant }: RegistrySession, username: string): Promise<StoredAccount> {
  const login_name = loginName(username);
  const account =
    login_name === undefined ? undefined : await tenant.storage.accounts.findByLoginName(login_name);
  if (account === undefined) throw new NotFound(`there is no account ${JSON.stringify(username)}`);
  return account;
}

export function actorOf({ request_id }: RegistrySession): AccountActor {
  return { actor: ACTOR, request_id };
}

/** An account for `--json`: never its password's hash. */
export function accountJson(account: StoredAccount): object {
  const { sub, username, login_name, claims, created_at, updated_at, disabled_at } = account;
  const parsed = JSON.parse(claims) as object;
  return { sub, username, login_name, claims: parsed, created_at, updated_at, disabled_at };
}

export function accountFields(account: StoredAccount): readonly (readonly [string, string])[] {
  const { sub, username, claims, created_at, updated_at, disabled_at } = account;
  return [
    ['name', username],
    ['sub', sub],
    ['state', disabled_at === null ? 'enabled' : `disabled since ${timeText(disabled_at, '-')}`],
    ['created', timeText(created_at, '-')],
    ['changed', timeText(updated_at, '-')],
    ...Object.entries(JSON.parse(claims) as Readonly<Record<string, unknown>>).map(
      ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
    ),
  ];
}
