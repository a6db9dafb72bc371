import type { Subject } from '../../spec/identifiers.ts';
import { namedAccount } from '../accounts/account-operand.ts';
import { calledWrongly } from '../command-failure.ts';
import { operands } from '../command-input.ts';
import type { RegistrySession } from '../registry-session.ts';

/** For `parseArgs` of commands about somebody: an account by its name, or a subject that has none here. */
export const SUBJECT_OPTION = { sub: { type: 'string' } } as const;

interface SubjectOperands {
  /** Whose things the command is about. @throws NotFound for a name that no account has */
  find(session: RegistrySession): Promise<Subject>;
  /** What may come after it. */
  readonly rest: string | undefined;
}

/** @param rest the name of an operand that may follow, for whoever calls it wrongly; none where it is absent */
export function subjectOperands(
  positionals: readonly string[],
  sub: string | undefined,
  rest?: string,
): SubjectOperands {
  const names = [...(sub === undefined ? ['NAME'] : []), ...(rest === undefined ? [] : [rest])];
  const given = positionals.length < names.length && rest !== undefined ? names.slice(0, -1) : names;
  const values = operands(positionals, given);
  if (sub === '') throw calledWrongly('--sub takes a subject');
  if (sub !== undefined) return { find: async () => sub as Subject, rest: values[0] };
  const [name = '', other] = values;
  return { find: async (session) => (await namedAccount(session, name)).sub, rest: other };
}
