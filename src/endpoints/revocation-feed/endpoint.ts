import type { EventCursors } from '../../events/event-cursor.ts';
import { revocationFeed } from '../../events/revocations/revocation-feed.ts';
import { revocationStream } from '../../events/revocations/revocation-stream.ts';
import { EVENT_STREAM_HEADERS } from '../../events/server-sent-events.ts';
import type { ServerKeys } from '../../keys/server-keys.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Counting } from '../../ports/metrics.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { Streams } from '../../ports/streams.ts';
import { OAuthError, TooManyRequests } from '../../spec/errors.ts';
import type { FormLimits, Parameters } from '../../spec/parameters.ts';
import { REVOCATION_FEED_TYPE } from '../../spec/revocation-feed.ts';
import { findAccessToken } from '../../tokens/access-token.ts';
import { presentedAccessToken } from '../../tokens/presented-token.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint, EndpointRequest } from '../contract.ts';
import {
  type Caller,
  type CallerNeeds,
  callerOf,
  formOrError,
  introspectionScopeOf,
  scopeLacking,
  triesBearer,
} from '../introspection-caller.ts';
import { contract } from './contract.ts';

export interface RevocationFeedEndpointNeeds extends CallerNeeds {
  readonly issuer: string;
  readonly form: FormLimits;
  readonly storage: Pick<TenantStorage, 'journal'>;
  readonly journalCursors: EventCursors;
  readonly keys: Pick<ServerKeys, 'sign'>;
  readonly clock: Clock;
  readonly sleep: (seconds: number) => Promise<void>;
  readonly revocationStreams: Streams;
  readonly isServed: () => Promise<boolean>;
  readonly metrics: Pick<Counting, 'count'>;
  readonly log: Pick<Log, 'warn'>;
}

const RETRY_SECONDS = 5;
const HEADERS = { ...UNCACHED, ...EVENT_STREAM_HEADERS };

/** Lets a resource server follow the revocations. The scope that permits introspection permits it. */
export function revocationFeedEndpoint(needs: RevocationFeedEndpointNeeds): Endpoint {
  const { issuer, settings, clock, keys, metrics, revocationStreams, storage } = needs;
  const cursors = needs.journalCursors;
  const alg = settings['access-token.signature-algorithm'];
  const feed = revocationFeed({
    ...needs,
    cursors,
    journal: storage.journal,
    heartbeat: settings['revocation-feed.heartbeat'],
    stopping: revocationStreams.stopping,
    sign: async (claims) => await keys.sign({ ...claims }, { alg, typ: REVOCATION_FEED_TYPE }),
  });
  const introspectionScope = introspectionScopeOf(issuer);
  const count = (outcome: 'opened' | 'refused'): void =>
    metrics.count('chancery_revocation_feed_streams_total', { outcome });
  return {
    contract,
    async handle(request) {
      const form = formOf(needs, request);
      const caller = await callerOf(needs, request, form, contract.path);
      if (form instanceof OAuthError) throw form;
      const { client_id, scope } = caller;
      if (!scope.includes(introspectionScope)) throw scopeLacking(request, introspectionScope, client_id);
      const isLive = await livenessOf(needs, request, caller);
      const leave = revocationStreams.enter(`${issuer} ${client_id}`);
      count(leave === undefined ? 'refused' : 'opened');
      if (leave === undefined) throw new TooManyRequests(RETRY_SECONDS, 'revocation-feed.streams');
      const body = revocationStream(
        { feed, cursors, clock },
        {
          cursor: form['cursor'] ?? request.headers['last-event-id'],
          isLive,
          ended(reason) {
            leave();
            metrics.count('chancery_revocation_feed_ends_total', { reason });
          },
        },
      );
      return { status: 200, headers: HEADERS, body };
    },
  };
}

/** A request without a body needs no media type: its credentials are in a header. */
function formOf({ form }: RevocationFeedEndpointNeeds, request: EndpointRequest): Parameters | OAuthError {
  return request.body.length === 0 ? {} : formOrError(request, contract.parameters.names, form);
}

/** Returns whether the caller may still read: its token is valid, or its registration is what it was when it authenticated. */
async function livenessOf(
  { accessTokens, authentication: { clients }, settings }: RevocationFeedEndpointNeeds,
  request: EndpointRequest,
  { client_id }: Caller,
): Promise<() => Promise<boolean>> {
  const presented = triesBearer(request)
    ? presentedAccessToken(request.headers['authorization'], settings['limits.bearer-token'])
    : undefined;
  if (presented !== undefined)
    return async () => (await findAccessToken(accessTokens, presented.token)) !== undefined;
  const before = await clients.find(client_id);
  return async () => {
    const now = await clients.find(client_id);
    return now !== undefined && now.instance === before?.instance && now.version === before.version;
  };
}
