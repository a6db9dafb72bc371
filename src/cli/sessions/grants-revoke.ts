import { parseArgs } from 'node:util';
import type { AuditEvent } from '../../ports/audit-log.ts';
import type { StoredGrant } from '../../ports/grant-store.ts';
import { NotFound } from '../../spec/errors.ts';
import { actorOf } from '../accounts/account-operand.ts';
import type { Run } from '../commands.ts';
import { REGISTRY_OPTIONS, type RegistrySession, withRegistry } from '../registry-session.ts';
import { SUBJECT_OPTION, subjectOperands } from './subject-operand.ts';

/** Ends one grant about somebody, or all of them, with every token of it. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { ...REGISTRY_OPTIONS, ...SUBJECT_OPTION },
  });
  const subject = subjectOperands(positionals, values.sub, 'GRANT');
  const { config, mode, tenant, json } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    const { grants } = session.tenant.storage;
    const sub = await subject.find(session);
    const all = await grants.ofSubject(sub);
    const meant = subject.rest === undefined ? all : all.filter(({ grant_id }) => grant_id === subject.rest);
    if (subject.rest !== undefined && meant.length === 0)
      throw new NotFound('there is no such grant of theirs');
    const ended: string[] = [];
    for (const grant of meant)
      if (await grants.end(grant.grant_id, grantEnded(session, grant))) ended.push(grant.grant_id);
    if (json) context.print(JSON.stringify({ sub, ended }));
    else context.print(`ended ${ended.length === 1 ? '1 grant' : `${ended.length} grants`}`);
    return 0;
  });
};

function grantEnded(session: RegistrySession, { sub, client_id }: StoredGrant): AuditEvent {
  const at = session.needs.clock.now();
  return { at, action: 'grant.end', outcome: 'done', client_id, detail: `sub ${sub}`, ...actorOf(session) };
}
