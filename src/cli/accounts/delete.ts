import { deleteAccount } from '../../sessions/manage-account.ts';
import { actorOf } from './account-operand.ts';
import { onAccount } from './one-account.ts';

/** Ends an account with its sessions, grants and consents; its sub is never given again. */
export const run = onAccount(async (account, session) => {
  await deleteAccount(session.tenant.endUsers.accounts, account, actorOf(session));
  const { sub, username } = account;
  return { json: { sub, username, deleted: true }, print: (print) => print(`deleted ${username}`) };
});
