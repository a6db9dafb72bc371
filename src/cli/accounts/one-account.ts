import type { StoredAccount } from '../../ports/account-store.ts';
import type { Run } from '../commands.ts';
import { onRegistry } from '../on-registry.ts';
import type { RegistrySession } from '../registry-session.ts';
import { namedAccount } from './account-operand.ts';

/** What a command says of an account: a JSON object for `--json`, lines for everybody else. */
interface AccountAnswer {
  readonly json: object;
  print(print: (line: string) => void): void;
}

type AccountAct = (account: StoredAccount, session: RegistrySession) => Promise<AccountAnswer>;

/** A command that takes the name of an account and nothing else. It ends with NotFound when nobody has that name. */
export function onAccount(act: AccountAct): Run {
  return onRegistry(['NAME'], async (session, { operands: [username = ''], json, context }) => {
    const answer = await act(await namedAccount(session, username), session);
    if (json) context.print(JSON.stringify(answer.json));
    else answer.print(context.print);
  });
}
