import { setDisabled } from '../../sessions/manage-account.ts';
import type { Run } from '../commands.ts';
import { accountJson, actorOf } from './account-operand.ts';
import { onAccount } from './one-account.ts';

/** Lets nobody sign in with an account, which ends its sessions and grants, or lets its owner in again. */
export function switchAccount(on: boolean): Run {
  return onAccount(async (account, session) => {
    const changed = await setDisabled(session.tenant.endUsers.accounts, account, !on, actorOf(session));
    return {
      json: accountJson(changed),
      print: (print) => print(`${on ? 'enabled' : 'disabled'} ${account.username}`),
    };
  });
}
