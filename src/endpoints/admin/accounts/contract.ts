import { ADMIN_ROLES } from '../../../spec/admin-scopes.ts';
import { FLAG } from '../../../spec/json-schema.ts';
import { named } from '../../../spec/schemas.ts';
import { operationContract, type QueryParameter } from '../operation-contract.ts';

const ACCOUNTS = '/admin/v1/accounts';
const ACCOUNT = `${ACCOUNTS}/{sub}` as const;
const SEGMENTS = { sub: 'The subject of the account.' };

const FORCE: QueryParameter = {
  words: '`true`: also if no enabled account has the role administrator afterwards.',
  schema: FLAG,
};

export const accountList = operationContract({
  kind: 'list',
  name: 'admin-account-list',
  path: ACCOUNTS,
  purpose: 'Lists the accounts of end-users.',
  scope: 'admin:accounts:read',
  item: named('AdminAccount'),
  sort: ['login_name', '-created_at'],
  query: {
    q: { words: 'A part of the name.' },
    prefix: { words: 'The beginning of the name.' },
    role: { words: 'A role in the administration.', schema: { enum: ADMIN_ROLES } },
    state: {
      words: 'Accounts that can sign in, or those that cannot.',
      schema: { enum: ['enabled', 'disabled'] },
    },
  },
});

export const accountRead = operationContract({
  kind: 'item',
  name: 'admin-account-read',
  path: ACCOUNT,
  purpose: 'Returns one account.',
  segments: SEGMENTS,
  scope: 'admin:accounts:read',
  item: named('AdminAccount'),
});

export const accountCreate = operationContract({
  kind: 'creation',
  name: 'admin-account-create',
  path: ACCOUNTS,
  purpose: 'Makes an account with a random subject.',
  scope: 'admin:accounts',
  action: 'account.create',
  body: named('AdminNewAccount'),
  item: named('AdminMadeAccount'),
  problems: ['conflict', 'request_rejected'],
});

export const accountChange = operationContract({
  kind: 'change',
  method: 'PATCH',
  name: 'admin-account-change',
  path: ACCOUNT,
  purpose: 'Changes claims or the role of an account. A role that permits less ends its sessions and grants.',
  segments: SEGMENTS,
  scope: 'admin:accounts',
  action: 'account.update',
  query: { force: FORCE },
  body: named('AdminAccountChanges'),
  item: named('AdminAccount'),
  problems: ['conflict', 'request_rejected'],
});

export const accountDelete = operationContract({
  kind: 'removal',
  name: 'admin-account-delete',
  path: ACCOUNT,
  purpose: 'Deletes an account with its sessions, grants and consents. No later account gets its subject.',
  segments: SEGMENTS,
  scope: 'admin:accounts',
  action: 'account.delete',
  query: { force: FORCE },
  problems: ['conflict'],
});

export const accountDisable = operationContract({
  kind: 'action',
  name: 'admin-account-disable',
  path: `${ACCOUNT}/disable`,
  purpose: 'Disables an account, and ends its sessions and grants with their tokens.',
  segments: SEGMENTS,
  scope: 'admin:accounts',
  action: 'account.update',
  query: { force: FORCE },
  result: named('AdminAccount'),
});

export const accountEnable = operationContract({
  kind: 'action',
  name: 'admin-account-enable',
  path: `${ACCOUNT}/enable`,
  purpose: 'Lets the end-user of a disabled account sign in again.',
  segments: SEGMENTS,
  scope: 'admin:accounts',
  action: 'account.update',
  result: named('AdminAccount'),
});

export const accountPassword = operationContract({
  kind: 'action',
  name: 'admin-account-password',
  path: `${ACCOUNT}/password`,
  purpose: 'Sets a password, or makes one, and ends the sessions and grants of the account.',
  segments: SEGMENTS,
  scope: 'admin:accounts',
  action: 'account.update',
  body: named('AdminPassword'),
  result: named('AdminMadePassword'),
});

export const accountEndSessions = operationContract({
  kind: 'action',
  name: 'admin-account-end-sessions',
  path: `${ACCOUNT}/end-sessions`,
  purpose: 'Ends all sessions of an account, and tells their clients. Grants with offline_access go on.',
  segments: SEGMENTS,
  scope: 'admin:sessions',
  action: 'session.end',
  result: named('AdminEnded'),
});
