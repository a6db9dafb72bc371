import { audited, doneEvent, record } from '../../clients/audit-trail.ts';
import { listClients, listPage, type PageRequest } from '../../clients/listing/list-clients.ts';
import { requireMasterToken } from '../../clients/registration/registration-authority.ts';
import type { RegistryNeeds } from '../../clients/registry-needs.ts';
import { OAuthError, quotedValue } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { parseParameters } from '../../spec/parameters.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

const HEADERS = Object.freeze({ 'content-type': 'application/json', ...UNCACHED });
const PARAMETERS_MAX = 32;
const LIMIT_MAX = 1000;

/** Streams all clients as one JSON array. With `limit` it returns a page and the address of the next one (RFC 8288). */
export function clientList(needs: RegistryNeeds): Endpoint {
  return {
    contract,
    handle: async ({ headers, query, id }) =>
      await audited(needs, 'client.list', id, async (trail) => {
        await requireMasterToken(needs, headers['authorization'], trail);
        const page = pageRequest(query);
        record(needs, doneEvent(needs, trail));
        if (page === undefined)
          return { status: 200, headers: HEADERS, body: await begun(listClients(needs)) };
        const { body, next } = await listPage(needs, page);
        const link =
          next === undefined
            ? {}
            : {
                link: `<${needs.issuer}${contract.path}?limit=${page.limit}&cursor=${cursorOf(next)}>; rel="next"`,
              };
        return { status: 200, headers: { ...HEADERS, ...link }, body };
      }),
  };
}

const cursorOf = (last: ClientId): string => Buffer.from(last).toString('base64url');

/** Returns the requested page; undefined for all clients. Ignores other parameters. */
function pageRequest(query: string): PageRequest | undefined {
  const { limit, cursor } = parseParameters(query, contract.parameters.names, { parameters: PARAMETERS_MAX });
  if (limit === undefined && cursor === undefined) return undefined;
  if (limit !== undefined && !(/^[1-9][0-9]{0,3}$/.test(limit) && Number(limit) <= LIMIT_MAX)) {
    throw new OAuthError('invalid_request', {
      error_description: `limit ${quotedValue(limit)} must be a whole number from 1 to ${LIMIT_MAX}`,
    });
  }
  if (cursor !== undefined && !/^[A-Za-z0-9_-]{1,1024}$/.test(cursor)) {
    throw new OAuthError('invalid_request', { error_description: 'cursor was not issued by this server' });
  }
  return {
    limit: Number(limit ?? LIMIT_MAX),
    after: cursor === undefined ? undefined : (Buffer.from(cursor, 'base64url').toString() as ClientId),
  };
}

/** Reads the first chunk before the response begins, so that a failing store yields 500 and not a truncated 200. */
async function begun(chunks: AsyncGenerator<string>): Promise<AsyncIterable<string>> {
  let first: IteratorResult<string> | undefined = await chunks.next();
  // Dropped after use, so that a slow reader does not keep the first chunk in memory.
  const taken = (): string => {
    const value: unknown = first?.value;
    first = undefined;
    return typeof value === 'string' ? value : '';
  };
  return (async function* () {
    yield taken();
    yield* chunks;
  })();
}
