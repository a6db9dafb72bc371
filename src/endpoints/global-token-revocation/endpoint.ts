import { logEvent, originOf, personEvent } from '../../clients/person-event.ts';
import type { Settings } from '../../config/settings.ts';
import {
  type GlobalRevocationNeeds,
  revokeEverything,
  subjectNamed,
} from '../../grants/revoke-everything.ts';
import type { Log } from '../../ports/log.ts';
import type { JsonLimits } from '../../spec/json.ts';
import { notFound, Problem } from '../../spec/problems.ts';
import { named } from '../../spec/schemas.ts';
import { type SubjectIdentifier, subjectFault } from '../../spec/subject-identifier.ts';
import { masterTokens, presentedMaster } from '../../tokens/bearer-token.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint } from '../contract.ts';
import { readBody } from '../json-body.ts';
import { contract } from './contract.ts';

export interface GlobalTokenRevocationNeeds extends GlobalRevocationNeeds {
  readonly settings: Settings;
  readonly json: JsonLimits;
  readonly log: Log;
}

/** Ends everything of a person. Its own tokens open it, and no other one: the caller needs nothing else here. */
export function globalTokenRevocation(needs: GlobalTokenRevocationNeeds): Endpoint {
  const callers = masterTokens(needs.settings['global-revocation.token-sha256']);
  return {
    contract,
    async handle(request) {
      const { authorization } = request.headers;
      const { label } = presentedMaster(callers, authorization, needs.settings['limits.bearer-token']);
      const { sub_id } = readBody(contract, named('GlobalTokenRevocation'), request, needs.json);
      const fault = subjectFault(sub_id, false);
      if (fault !== undefined) throw wrong(fault);
      const found = await subjectNamed(needs, sub_id as SubjectIdentifier);
      if ('fault' in found) throw wrong(found.fault);
      const { sub } = found;
      const about = { sub, client_id: null, actor: `master:${label}` };
      const event = personEvent(needs, 'account.revoke', about, originOf(request));
      if (!(await revokeEverything(needs, sub, event))) throw notFound('person');
      logEvent(needs, event);
      return { status: 204, headers: UNCACHED };
    },
  };
}

const wrong = (detail: string): Problem =>
  new Problem('invalid_body', `/sub_id ${detail}`, { errors: [{ pointer: '/sub_id', detail }] });
