import { NotFound } from '../spec/errors.ts';
import type { Subject } from '../spec/identifiers.ts';
import { namedAccount } from './accounts.ts';
import { type Command, command } from './command.ts';
import { calledWrongly } from './failure.ts';
import type { RegistrySession } from './registry-session.ts';
import { BESIDE_SERVERS, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';

/** Names an end-user: by an account, or with `--sub` by a subject that has no account here. */
export const SUBJECT_OPERAND = {
  name: { unless: 'sub', words: 'Names the account of the end-user.' },
} as const;

export const SUBJECT_OPTIONS = {
  sub: {
    kind: 'text',
    value: 'SUB',
    words: 'Names the end-user by the sub instead, for example an end-user without an account here.',
  },
  ...REGISTRY_OPTIONS,
} as const;

interface SubjectCall {
  readonly operands: { readonly name: string | undefined };
  readonly options: { readonly sub: string | undefined };
}

/** Returns a function that finds the subject. It rejects with NotFound for a name without an account. */
export function subjectOf({
  operands,
  options,
}: SubjectCall): (session: RegistrySession) => Promise<Subject> {
  const { sub } = options;
  if (sub === '') throw calledWrongly('--sub takes a subject');
  return async (session) =>
    sub === undefined ? (await namedAccount(session, operands.name ?? '')).sub : (sub as Subject);
}

/** Things of an end-user that have an identifier and can be ended: sessions or grants. */
interface Things<Thing> {
  readonly noun: 'session' | 'grant';
  readonly ofSubject: (session: RegistrySession, sub: Subject) => Promise<readonly Thing[]>;
  readonly idOf: (thing: Thing) => string;
  /** Resolves with false for a thing that another process ended first. */
  readonly end: (session: RegistrySession, thing: Thing) => Promise<boolean>;
}

/** Declares a command that ends one thing of an end-user, or all of them. A thing of another end-user is not found. */
export function endingCommand<Thing>(
  { noun, ofSubject, idOf, end }: Things<Thing>,
  texts: Pick<Command, 'words' | 'summary' | 'description' | 'examples'>,
): Command {
  return command({
    ...texts,
    servers: BESIDE_SERVERS,
    operands: {
      ...SUBJECT_OPERAND,
      id: { optional: true, words: `Names one ${noun} as \`${noun}s list\` prints it. Without it, all end.` },
    },
    options: SUBJECT_OPTIONS,
    environment: SETTINGS_VARIABLES,
    output: `One line with the number of ${noun}s that ended. With --json, one JSON object with \`sub\` and \`ended\`.`,
    run: async (call) => {
      const find = subjectOf(call);
      const { id } = call.operands;
      await withRegistry(call, { create: false }, async (session) => {
        const sub = await find(session);
        const all = await ofSubject(session, sub);
        const meant = id === undefined ? all : all.filter((thing) => idOf(thing) === id);
        if (id !== undefined && meant.length === 0)
          throw new NotFound(`the end-user has no ${noun} ${JSON.stringify(id)}`);
        const ended: string[] = [];
        for (const thing of meant) if (await end(session, thing)) ended.push(idOf(thing));
        if (call.options.json) call.print(JSON.stringify({ sub, ended }));
        else call.print(`ended ${ended.length} ${ended.length === 1 ? noun : `${noun}s`}`);
      });
    },
  });
}
