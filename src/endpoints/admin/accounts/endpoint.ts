import type { AccountFilter, StoredAccount } from '../../../ports/account-store.ts';
import type { TenantStorage } from '../../../ports/storage.ts';
import {
  type AccountChanges,
  type AccountNeeds,
  AccountRefused,
  addAccount,
  changeAccount,
  changedAccount,
  deleteAccount,
  setDisabled,
  setPassword,
} from '../../../sessions/manage-account.ts';
import { type AdminRole, isAdminRole, permitsRole, scopeOfRole } from '../../../spec/admin-scopes.ts';
import type { Subject } from '../../../spec/identifiers.ts';
import { notFound, Problem } from '../../../spec/problems.ts';
import { timeOrNever, timeText } from '../../../spec/time-text.ts';
import { insufficientScope } from '../../../tokens/bearer-token.ts';
import {
  type AdminCall,
  acting,
  type ChangeCall,
  changing,
  creating,
  type Item,
  listing,
  type Plan,
  reading,
  removing,
  type WriteCall,
} from '../operation.ts';
import { EXAMINED, rangeOf } from '../people.ts';
import {
  accountChange,
  accountCreate,
  accountDelete,
  accountDisable,
  accountEnable,
  accountEndSessions,
  accountList,
  accountPassword,
  accountRead,
} from './contract.ts';

export interface AdminAccountNeeds {
  readonly people: { readonly accounts: AccountNeeds };
  readonly storage: Pick<TenantStorage, 'accounts' | 'sessions'>;
}

/** Characters of a password that the server makes: 119 bits. */
const MADE_PASSWORD_LENGTH = 20;

export const adminAccounts = [
  listing<AdminAccountNeeds>(accountList, async ({ storage }, { page, query }) => {
    const { rows, next } = await storage.accounts.list(filterOf(page.sort, query), rangeOf(page));
    return { items: rows.map(rendered), next };
  }),
  reading<AdminAccountNeeds>(accountRead, async (needs, call) => {
    const account = await accountAt(needs, call);
    return { item: rendered(account), version: String(account.version) };
  }),
  creating<AdminAccountNeeds>(accountCreate, async ({ people: { accounts } }, call) => {
    const { username, claims = {}, admin_role = null, password } = call.body as unknown as NewAccountBody;
    requireRoles(call, null, admin_role);
    const made = accounts.random.alphanumeric(MADE_PASSWORD_LENGTH);
    const account = { username, claims, admin_role, password: password ?? made };
    const shown = { username, claims, admin_role };
    return {
      before: null,
      after: shown,
      commit: async () => {
        const stored = await refusing(() => addAccount(accounts, account, call.event()));
        const secret = password === undefined ? { password: made } : {};
        return {
          item: { account: rendered(stored), ...secret },
          version: String(stored.version),
          location: `/accounts/${encodeURIComponent(stored.sub)}`,
        };
      },
    };
  }),
  changing<AdminAccountNeeds>(accountChange, planChange),
  removing<AdminAccountNeeds>(accountDelete, async (needs, call) => {
    const account = await manageableAccount(needs, call);
    call.ifMatch.require(String(account.version));
    return {
      before: rendered(account),
      after: null,
      ...(await warningsOf(needs, call, account, null)),
      commit: async () => {
        const { accounts } = needs.people;
        await refusing(() =>
          deleteAccount(accounts, account, call.event({ sub: account.sub }), conditionOf(call)),
        );
        return {};
      },
    };
  }),
  acting<AdminAccountNeeds>(accountDisable, async (needs, call) => await planSwitch(needs, call, true)),
  acting<AdminAccountNeeds>(accountEnable, async (needs, call) => await planSwitch(needs, call, false)),
  acting<AdminAccountNeeds>(accountPassword, async (needs, call) => {
    const account = await manageableAccount(needs, call);
    const { accounts } = needs.people;
    const chosen = call.body['password'];
    const password = typeof chosen === 'string' ? chosen : accounts.random.alphanumeric(MADE_PASSWORD_LENGTH);
    const before = rendered(account);
    return {
      before,
      after: { ...before, has_password: true },
      warnings: ['all sessions and grants of the account end'],
      commit: async () => {
        const event = call.event({ sub: account.sub, detail: 'password' });
        await refusing(() => setPassword(accounts, account, password, event));
        return { item: { password: chosen === undefined ? password : null } };
      },
    };
  }),
  acting<AdminAccountNeeds>(accountEndSessions, async (needs, call) => {
    const { sub } = await accountAt(needs, call);
    const { sessions } = needs.storage;
    const all = await sessions.ofSubject(sub);
    return {
      before: { sessions: all.map(({ sid }) => sid) },
      after: { sessions: [] },
      commit: async () => {
        let ended = 0;
        for (const { key, sid } of all)
          if ((await sessions.end(key, call.event({ sub, detail: sid }))) !== undefined) ended += 1;
        return { item: { ended } };
      },
    };
  }),
];

interface NewAccountBody {
  readonly username: string;
  readonly password?: string;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly admin_role?: AdminRole | null;
}

function filterOf(sort: string, { q, prefix, role, state }: AdminCall['query']): AccountFilter {
  return {
    sort: sort === 'created_at' ? 'recent' : 'name',
    prefix: prefix === undefined ? undefined : compared(prefix),
    contains: q === undefined ? undefined : compared(q),
    role: isAdminRole(role) ? role : undefined,
    disabled: state === undefined ? undefined : state === 'disabled',
  };
}

/** Names are stored in lower case (RFC 8265 §3.3.2). */
const compared = (text: string): string => text.normalize('NFC').toLowerCase();

function rendered(account: StoredAccount): Item {
  const { sub, username, login_name, claims, admin_role, disabled_at, password_hash } = account;
  return {
    sub,
    username,
    login_name,
    claims: JSON.parse(claims) as unknown,
    admin_role,
    disabled: disabled_at !== null,
    disabled_at: timeOrNever(disabled_at),
    has_password: password_hash !== null,
    created_at: timeText(account.created_at),
    updated_at: timeText(account.updated_at),
  };
}

async function accountAt({ storage }: AdminAccountNeeds, { segments }: AdminCall): Promise<StoredAccount> {
  const account = await storage.accounts.find((segments['sub'] ?? '') as Subject);
  if (account === undefined) throw notFound('account');
  return account;
}

/**
 * Returns an account that the caller may change. A caller who sets the password of an account, or its
 * claims, can act as its owner, so it must have all that the role of the account permits.
 */
async function manageableAccount(needs: AdminAccountNeeds, call: AdminCall): Promise<StoredAccount> {
  const account = await accountAt(needs, call);
  requirePermitted(call, account.admin_role);
  return account;
}

function requirePermitted({ caller }: AdminCall, role: AdminRole | null): void {
  if (permitsRole(caller.scope, role)) return;
  const missing = scopeOfRole(role).filter((value) => !caller.scope.includes(value));
  throw insufficientScope(missing, caller.client_id ?? undefined);
}

/** Roles are given by administrators, and by clients that have all that both roles permit. */
function requireRoles(call: AdminCall, before: AdminRole | null, after: AdminRole | null): void {
  if (before === after) return;
  requirePermitted(call, before);
  requirePermitted(call, after);
  if (call.caller.sub !== undefined) requirePermitted(call, 'administrator');
}

const conditionOf = ({ query }: AdminCall): { readonly keepsAdministrator: boolean } => ({
  keepsAdministrator: query['force'] !== 'true',
});

async function planChange(needs: AdminAccountNeeds, call: ChangeCall): Promise<Plan> {
  const account = await manageableAccount(needs, call);
  call.ifMatch.require(String(account.version));
  const changes = changesOf(account, call);
  requireRoles(call, account.admin_role, changes.admin_role ?? null);
  const { stored, detail, endAll } = await refusing(async () => changedAccount(account, changes));
  const after = { ...account, ...stored };
  const { warnings } = await warningsOf(needs, call, account, after);
  const { sub } = account;
  return {
    before: rendered(account),
    after: rendered(after),
    warnings: [...warnings, ...(endAll ? ['all sessions and grants of the account end'] : [])],
    commit: async () => {
      const event = call.event({ sub, detail });
      const { accounts } = needs.people;
      const changed = await refusing(() =>
        changeAccount(accounts, account, changes, event, conditionOf(call)),
      );
      return { item: rendered(changed), version: String(changed.version) };
    },
  };
}

/** Applies a merge patch: a claim of null is removed (RFC 7396 §2). */
function changesOf(account: StoredAccount, { body }: ChangeCall): AccountChanges {
  const { admin_role = account.admin_role, claims } = body as {
    admin_role?: AdminRole | null;
    claims?: object | null;
  };
  if (claims === undefined) return { admin_role };
  const kept = claims === null ? {} : (JSON.parse(account.claims) as object);
  const merged = Object.entries({ ...kept, ...claims }).filter(([, value]) => value !== null);
  return { admin_role, claims: Object.fromEntries(merged) };
}

async function planSwitch(needs: AdminAccountNeeds, call: WriteCall, disabled: boolean): Promise<Plan> {
  const account = await manageableAccount(needs, call);
  const { accounts } = needs.people;
  const { sub } = account;
  const disabled_at = disabled ? (account.disabled_at ?? accounts.clock.now()) : null;
  const after = { ...account, disabled_at };
  return {
    before: rendered(account),
    after: rendered(after),
    ...(await warningsOf(needs, call, account, after)),
    commit: async () => {
      const event = call.event({ sub, detail: disabled ? 'disabled' : 'enabled' });
      const changed = await refusing(() =>
        setDisabled(accounts, account, disabled, event, conditionOf(call)),
      );
      return { item: rendered(changed), version: String(changed.version) };
    },
  };
}

const isAdministrator = (account: StoredAccount | null): boolean =>
  account !== null && account.admin_role === 'administrator' && account.disabled_at === null;

/** Refuses a plan that would leave no administrator; with `force`, warns of it. The write decides again. */
async function warningsOf(
  { storage }: AdminAccountNeeds,
  call: AdminCall,
  before: StoredAccount,
  after: StoredAccount | null,
): Promise<{ readonly warnings: readonly string[] }> {
  if (!isAdministrator(before) || isAdministrator(after)) return { warnings: [] };
  const filter = { sort: 'name', role: 'administrator', disabled: false } as const;
  const { rows } = await storage.accounts.list(filter, { limit: 2, after: undefined, examined: EXAMINED });
  if (rows.some(({ sub }) => sub !== before.sub)) return { warnings: [] };
  if (conditionOf(call).keepsAdministrator) throw lastAdministrator();
  return { warnings: ['no enabled account has the role administrator afterwards'] };
}

const lastAdministrator = (): Problem =>
  new Problem(
    'conflict',
    'this is the last enabled account with the role administrator; force=true changes it nevertheless',
  );

/** Turns a refusal of the domain into a problem. */
async function refusing<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (failure) {
    if (!(failure instanceof AccountRefused)) throw failure;
    const { because, message } = failure;
    if (because === 'last_administrator') throw lastAdministrator();
    if (because === 'absent') throw notFound('account');
    if (because === 'changed_meanwhile')
      throw new Problem('conflict', 'the account has changed: read it again');
    throw new Problem(because === 'login_name_taken' ? 'conflict' : 'request_rejected', message);
  }
}
