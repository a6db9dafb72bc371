import type { RequestOrigin } from '../../clients/person-event.ts';
import { metadataOf } from '../../clients/registered-client.ts';
import { type DeliveryLoop, deliveryLoop, LEASE_MARGIN } from '../../events/delivery-loop.ts';
import { problemOf } from '../../events/posted-problem.ts';
import { retryDelay } from '../../events/retry-delay.ts';
import { digestOf } from '../../keys/digest.ts';
import type {
  BackchannelAttempt,
  BackchannelRequestStore,
  StoredBackchannelRequest,
} from '../../ports/backchannel-request-store.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { OutboundForms } from '../../ports/outbound-http.ts';
import type { Random } from '../../ports/random.ts';
import type { Sealer } from '../../ports/sealer.ts';
import { OAuthError } from '../../spec/errors.ts';
import { findAccessToken } from '../../tokens/access-token.ts';
import { tokensForCode } from '../authorization-code.ts';
import type { GrantNeeds, TokenResponse } from '../grant.ts';
import { contentOf, type NotificationSecrets, openSecrets } from './backchannel-request.ts';

export interface NotifyNeeds {
  readonly backchannelRequests: BackchannelRequestStore;
  /** Returns what issues tokens under one name of the tenant. */
  readonly issuingAs: (issuer: string) => GrantNeeds;
  readonly sealer: Sealer;
  readonly outbound: Pick<OutboundForms, 'postBody'>;
  readonly random: Random;
  readonly count: (outcome: BackchannelAttempt['outcome']) => void;
}

/**
 * Notifies the clients of a tenant about answers, and about requests that ended without one (OpenID Connect CIBA Core 1.0 §10.2, §10.3,
 * §12). A notification is leased by one process, and an attempt without an outcome is made again.
 */
export function backchannelDelivery(
  needs: NotifyNeeds & Pick<GrantNeeds, 'clock' | 'settings' | 'log'>,
): DeliveryLoop {
  const { backchannelRequests, clock, settings, log } = needs;
  return deliveryLoop<StoredBackchannelRequest>({
    log,
    failure: 'clients without a browser could not be notified',
    plan: async () => false,
    async take(limit) {
      const now = clock.now();
      return await backchannelRequests.take(now, now + settings['outbound.timeout'] + LEASE_MARGIN, limit);
    },
    async attempt(taken) {
      const { client_id, attempts } = taken;
      try {
        const problem = await notify(needs, taken);
        const outcome = outcomeOf(needs, taken, problem);
        await backchannelRequests.settle(taken, outcome);
        needs.count(outcome.outcome);
        if (problem === undefined || problem === UNNEEDED) return;
        log.warn({ client_id, attempts, outcome: outcome.outcome, problem }, 'a client was not notified');
      } catch (cause) {
        log.error({ client_id, cause }, 'a notification of a client failed');
      }
    },
  });
}

const UNNEEDED = Symbol('no client needs it');

function outcomeOf(
  { clock, settings, random }: Pick<NotifyNeeds, 'random'> & Pick<GrantNeeds, 'clock' | 'settings'>,
  { attempts }: StoredBackchannelRequest,
  problem: string | undefined | typeof UNNEEDED,
): BackchannelAttempt {
  if (problem === undefined) return { outcome: 'delivered' };
  if (problem === UNNEEDED) return { outcome: 'unneeded' };
  if (attempts >= settings['ciba.attempts-max']) return { outcome: 'failed', problem };
  const due_at = clock.now() + retryDelay(settings['ciba.retry-delay'], attempts, random);
  return { outcome: 'postponed', problem, due_at };
}

/** Returns why the client did not take the notification; undefined if it did. */
async function notify(
  needs: NotifyNeeds,
  taken: StoredBackchannelRequest,
): Promise<string | undefined | typeof UNNEEDED> {
  const { issuer, mode, request, sealed } = contentOf(taken);
  const issuing = needs.issuingAs(issuer);
  const client = await issuing.clients.find(taken.client_id);
  // The client may be deleted, or replaced by one with the same identifier.
  if (client?.instance !== taken.client_instance || sealed === undefined) return UNNEEDED;
  const endpoint = metadataOf(client)['backchannel_client_notification_endpoint'];
  if (typeof endpoint !== 'string') return UNNEEDED;
  const secrets = openSecrets(needs.sealer, request.backchannel, sealed);
  const post = async (members: object): Promise<string | undefined> =>
    await posted(needs, { endpoint, party: taken.client_id, secrets }, members);
  if (mode === 'ping') return await post({});
  if (taken.state === 'denied')
    return await post({ error: 'access_denied', error_description: 'the end-user refused the request' });
  if (taken.state === 'open')
    return await post({ error: 'expired_token', error_description: 'the auth_req_id has expired' });
  const tokens = await tokensOf(issuing, client, taken, secrets);
  // §12: "an unexpected condition that prevented it from successfully completing the transaction".
  if ('error' in tokens) return await post(tokens);
  const problem = await post(tokens);
  // No one may hold what did not arrive. The next attempt makes other tokens.
  if (problem !== undefined) await endGrantOf(issuing, tokens.access_token);
  // The server asked for them itself, without a key of the client.
  else issuing.metrics.count('chancery_tokens_issued_total', { grant: 'ciba', binding: 'none' });
  return problem;
}

/** Posts with the token that the client chose (§10.2: "the client_notification_token … as a bearer token"). */
async function posted(
  { outbound }: NotifyNeeds,
  to: { readonly endpoint: string; readonly party: string; readonly secrets: NotificationSecrets },
  members: object,
): Promise<string | undefined> {
  const { auth_req_id, client_notification_token } = to.secrets;
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${client_notification_token}`,
  };
  const cause = { purpose: 'backchannel', remoteAddress: undefined, party: to.party } as const;
  const body = JSON.stringify({ auth_req_id, ...members });
  return problemOf(await outbound.postBody(to.endpoint, { headers, body }, cause));
}

/** Where nothing asked for the tokens, the server did. */
const SERVER: RequestOrigin = {
  remoteAddress: '127.0.0.1',
  request_id: 'backchannel push',
  userAgent: undefined,
};

/** Issues the tokens of an allowed request. Each attempt redeems a code of its own, a copy of the one that the person gave. */
async function tokensOf(
  issuing: GrantNeeds,
  stored: StoredClient,
  { code, attempts }: StoredBackchannelRequest,
  { auth_req_id }: NotificationSecrets,
): Promise<TokenResponse | { readonly error: string; readonly error_description: string }> {
  const { endUsers } = issuing;
  const given = code === null ? undefined : await endUsers?.codes.find(code);
  if (endUsers === undefined || given === undefined) return FAILED;
  const copy = { ...given, key: digestOf(`${given.key} ${attempts}`) };
  await endUsers.codes.issue(copy);
  const client = { stored, metadata: metadataOf(stored), certificate: undefined };
  try {
    const use = { code: copy, parameters: {}, origin: SERVER, pushedFor: auth_req_id };
    return (await tokensForCode(issuing, endUsers, client, use)).response;
  } catch (failure) {
    if (!(failure instanceof OAuthError)) throw failure;
    return FAILED;
  }
}

const FAILED = {
  error: 'transaction_failed',
  error_description: 'the tokens cannot be issued any longer',
} as const;

async function endGrantOf({ accessTokens, grants }: GrantNeeds, access_token: string): Promise<void> {
  const found = await findAccessToken(accessTokens, access_token);
  if (found?.grant_id !== undefined && found.grant_id !== null) await grants.end(found.grant_id);
}
