import { parseArgs } from 'node:util';
import { NotFound } from '../../spec/errors.ts';
import type { Subject } from '../../spec/identifiers.ts';
import type { Run } from '../commands.ts';
import { REGISTRY_OPTIONS, type RegistrySession, withRegistry } from '../registry-session.ts';
import { SUBJECT_OPTION, subjectOperands } from './subject-operand.ts';

/** Things of an end-user that have an identifier and can be ended. */
interface Things<Thing> {
  /** In English, in the singular; in capitals it is the operand that names one of them. */
  readonly noun: string;
  readonly ofSubject: (session: RegistrySession, sub: Subject) => Promise<readonly Thing[]>;
  readonly idOf: (thing: Thing) => string;
  /** @returns false where somebody else has ended it meanwhile */
  readonly end: (session: RegistrySession, thing: Thing) => Promise<boolean>;
}

/** A command that ends one of somebody's things, or all of them. It ends with NotFound where the one is not theirs. */
export function endAllOrOne<Thing>({ noun, ofSubject, idOf, end }: Things<Thing>): Run {
  return async (parameters, context) => {
    const { values, positionals } = parseArgs({
      args: [...parameters],
      allowPositionals: true,
      options: { ...REGISTRY_OPTIONS, ...SUBJECT_OPTION },
    });
    const subject = subjectOperands(positionals, values.sub, noun.toUpperCase());
    const { config, mode, tenant, json } = values;
    return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
      const sub = await subject.find(session);
      const all = await ofSubject(session, sub);
      const meant = subject.rest === undefined ? all : all.filter((thing) => idOf(thing) === subject.rest);
      if (subject.rest !== undefined && meant.length === 0)
        throw new NotFound(`there is no such ${noun} of theirs`);
      const ended: string[] = [];
      for (const thing of meant) if (await end(session, thing)) ended.push(idOf(thing));
      if (json) context.print(JSON.stringify({ sub, ended }));
      else context.print(`ended ${ended.length} ${ended.length === 1 ? noun : `${noun}s`}`);
      return 0;
    });
  };
}
