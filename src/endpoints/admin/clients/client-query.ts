import type { ClientFilters, ClientQuery } from '../../../clients/listing/find-clients.ts';
import type { Span } from '../../../ports/client-lists.ts';
import type { Parameters } from '../../../spec/parameters.ts';
import type { Mistaken } from '../../../spec/problems.ts';
import { parseScope } from '../../../spec/scope.ts';
import { secondsOf } from '../../../spec/time-text.ts';
import { clientOrder } from '../client-order.ts';
import type { ListCall } from '../operation.ts';
import { invalidParameters } from '../parameters.ts';

/** Scope values of one filter. A search asks for eight terms at most. */
const SCOPES_MAX = 4;
const TERMS_MAX = 8;

/** Reads the query of a list of clients. @throws Problem invalid_parameter */
export function clientQuery({ query, page }: Pick<ListCall, 'query' | 'page'>): ClientQuery {
  return { filters: clientFilters(query), ...clientOrder(page) };
}

/** Reads the filters. @throws Problem invalid_parameter */
export function clientFilters(query: Parameters): ClientFilters {
  const errors: Mistaken[] = [];
  const seconds = (name: string): number | undefined => {
    const text = query[name];
    const time = text === undefined ? undefined : secondsOf(text);
    if (text !== undefined && time === undefined)
      errors.push({ pointer: name, detail: 'must be a time that exists' });
    return time;
  };
  const span = (what: string): Span<number> | undefined => {
    const [from, until] = [seconds(`${what}_after`), seconds(`${what}_before`)];
    if (from === undefined && until === undefined) return undefined;
    return { ...(from === undefined ? {} : { from }), ...(until === undefined ? {} : { until }) };
  };
  const scope = query['scope'] === undefined ? undefined : parseScope(query['scope']);
  if (query['scope'] !== undefined && (scope === undefined || scope.length > SCOPES_MAX))
    errors.push({
      pointer: 'scope',
      detail: `must be at most ${SCOPES_MAX} scope values with spaces between them`,
    });
  const { name, name_contains, registered_via, grant_type, redirect_host, entity_id, trust_anchor, owner } =
    query;
  const filters = {
    name,
    name_contains,
    registered_via,
    grant_types: grant_type === undefined ? undefined : [grant_type],
    scope,
    type: query['type'],
    redirect_host,
    entity_id,
    trust_anchor,
    owner,
    state: query['state'],
    created: span('created'),
    used: span('used'),
    expires: span('expires'),
    secret_expires: span('secret_expires'),
  };
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
  const terms = [registered_via, grant_type, redirect_host, entity_id, trust_anchor, owner, query['type']];
  const count = terms.filter((value) => value !== undefined).length + (scope?.length ?? 0);
  if (count > TERMS_MAX)
    errors.push({ pointer: 'scope', detail: `has too many values: a list takes ${TERMS_MAX} terms at most` });
  if (errors.length > 0) throw invalidParameters(errors);
  return given;
}
