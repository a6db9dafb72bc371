import { parseArgs } from 'node:util';
import { sessionEnded } from '../../sessions/browser-session.ts';
import { NotFound } from '../../spec/errors.ts';
import { actorOf } from '../accounts/account-operand.ts';
import type { Run } from '../commands.ts';
import { REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { SUBJECT_OPTION, subjectOperands } from './subject-operand.ts';

/** Ends one session of an end-user, or all of them, with the grants that end with it; a running server tells their clients. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { ...REGISTRY_OPTIONS, ...SUBJECT_OPTION },
  });
  const subject = subjectOperands(positionals, values.sub, 'SESSION');
  const { config, mode, tenant, json } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    const { sessions } = session.tenant.storage;
    const sub = await subject.find(session);
    const all = await sessions.ofSubject(sub);
    const meant = subject.rest === undefined ? all : all.filter(({ sid }) => sid === subject.rest);
    if (subject.rest !== undefined && meant.length === 0)
      throw new NotFound('there is no such session of theirs');
    const ended: string[] = [];
    for (const one of meant) {
      const event = sessionEnded(session.needs, one, actorOf(session));
      if ((await sessions.end(one.key, event)) !== undefined) ended.push(one.sid);
    }
    if (json) context.print(JSON.stringify({ sub, ended }));
    else context.print(`ended ${ended.length === 1 ? '1 session' : `${ended.length} sessions`}`);
    return 0;
  });
};
