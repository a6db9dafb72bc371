import { originOf } from '../../clients/person-event.ts';
import { AuthorizationError } from '../../grants/authorization/authorization-request.ts';
import type { AuthorizedResponseNeeds } from '../../grants/authorization/authorized-response.ts';
import {
  agreedRequest,
  type ExternalSignIn,
  readExternalOutcome,
} from '../../grants/authorization/external-outcome.ts';
import type { DetailTypes } from '../../grants/authorization-details/detail-types.ts';
import {
  type BackchannelAuthorization,
  contentOf,
  openRequest,
  requestsTo,
} from '../../grants/backchannel/backchannel-request.ts';
import {
  allowBackchannel,
  type BackchannelDecisionNeeds,
  blockBackchannel,
  denyBackchannel,
} from '../../grants/backchannel/decide.ts';
import type { StoredBackchannelRequest } from '../../ports/backchannel-request-store.ts';
import type { ClientStore, StoredClient } from '../../ports/client-store.ts';
import type { StoredSession } from '../../ports/session-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import { beginSession, type SessionNeeds, sessionEnded } from '../../sessions/browser-session.ts';
import type { ExternalAccountNeeds } from '../../sessions/external-account.ts';
import { NotFound, OAuthError } from '../../spec/errors.ts';
import type { Subject } from '../../spec/identifiers.ts';
import { type JsonLimits, parseJsonObject } from '../../spec/json.ts';
import { requireMediaType } from '../../spec/media-type.ts';
import { type FormLimits, parseParameters } from '../../spec/parameters.ts';
import type { MasterToken } from '../../tokens/bearer-token.ts';
import type { AuthorizationFlow } from '../authorization-flow.ts';
import type { Endpoint, EndpointRequest, EndpointResponse } from '../contract.ts';
import { pageClient } from '../page-client.ts';
import { accountVersionOf, pageActor, pageAuthority, toPage } from '../sign-in-page.ts';
import { contract, outcomeContract } from './contract.ts';

export interface BackchannelApiNeeds
  extends ExternalAccountNeeds,
    Omit<BackchannelDecisionNeeds, 'backchannelRequests'>,
    Pick<AuthorizedResponseNeeds, 'endUsers' | 'uses' | 'random'> {
  readonly issuer: string;
  readonly storage: Pick<TenantStorage, 'backchannelRequests'>;
  readonly clients: ClientStore;
  readonly sessions: SessionNeeds;
  readonly flow: AuthorizationFlow;
  readonly json: JsonLimits;
  readonly form: FormLimits;
  readonly detailTypes: DetailTypes;
}

/** Lists the requests that wait for a person, for the page of the operator. */
export function backchannelApi(needs: BackchannelApiNeeds): Endpoint {
  const requirePage = pageAuthority(needs);
  return {
    contract,
    async handle(request) {
      requirePage(request);
      const { subject } = parseParameters(request.query, contract.parameters.names, needs.form);
      if (subject === undefined)
        throw new OAuthError('invalid_request', {
          error_description: 'subject is missing',
          reason: 'missing-parameter',
        });
      const open = await requestsTo(deciding(needs), subject as Subject, needs.clock.now());
      return toPage({ requests: open.map(({ waiting, client }) => described(waiting, client)) });
    },
  };
}

function described(
  { id, client_id, content, created_at, expires_at }: StoredBackchannelRequest,
  client: StoredClient,
): object {
  const { redirect_uri, scope, resource, acr_values, authorization_details, backchannel } = contentOf({
    content,
  }).request;
  const { host: _ours, ...shown } = pageClient(client, redirect_uri, []);
  return {
    id,
    client: { client_id, ...shown },
    binding_message: backchannel.binding_message,
    address: backchannel.address,
    scope,
    resource,
    acr_values,
    authorization_details,
    requested_at: created_at,
    expires_at,
  };
}

/**
 * Takes the answer from the operator's page, once. The page vouches for the person, as at a sign-in, and says what the person agreed
 * to: no page of this server asks again. No browser is involved, so the session that begins has none.
 */
export function backchannelApiOutcome(needs: BackchannelApiNeeds): Endpoint {
  const requirePage = pageAuthority(needs);
  return {
    contract: outcomeContract,
    async handle(request) {
      const page = requirePage(request);
      requireMediaType(request.headers['content-type'], 'application/json');
      const body = parseJsonObject(request.body, needs.json);
      const open = await openRequest(deciding(needs), request.segment, needs.clock.now());
      if (open === undefined || open.sub === null)
        throw new NotFound('no request waits for an answer under this id');
      const { block = false, ...answer } = body.members;
      const asked = contentOf(open).request;
      const times = { begun_at: open.created_at, now: needs.clock.now() };
      const outcome = readExternalOutcome(answer, asked, {
        times,
        detailTypes: needs.detailTypes,
        consentText: body.source('consent'),
      });
      if (!('error' in outcome)) {
        if (block !== false) throw wrong('block stands beside error only');
        return await allowed(needs, { open, sub: open.sub, asked }, outcome, { page, request });
      }
      // §8 has two answers. Another failure leaves the request open, so that the person can try again.
      if (outcome.error !== 'access_denied') throw wrong('error must be access_denied');
      if (typeof block !== 'boolean') throw wrong('block must be true or false');
      const by = { origin: originOf(request), actor: pageActor(page) };
      if (block) await blockBackchannel(deciding(needs), open, open.sub, by);
      else if (!(await denyBackchannel(deciding(needs), open, open.sub, by))) throw answered();
      return toPage({ state: 'denied' });
    },
  };
}

interface Asked {
  readonly open: StoredBackchannelRequest;
  readonly sub: Subject;
  readonly asked: BackchannelAuthorization;
}

async function allowed(
  needs: BackchannelApiNeeds,
  { open, sub, asked }: Asked,
  outcome: ExternalSignIn,
  by: { readonly page: MasterToken; readonly request: EndpointRequest },
): Promise<EndpointResponse> {
  const { subject, consent, claims: _kept, ...how } = outcome;
  if (subject !== sub) throw wrong('subject must be the person who was asked');
  if (consent === undefined) throw wrong('consent is missing: the page says what the person agreed to');
  const accountVersion = await accountVersionOf(needs, outcome, by);
  const origin = originOf(by.request);
  const cause = { client_id: open.client_id, method: 'external', origin } as const;
  const begun = await beginSession(needs.sessions, { ...how, sub, accountVersion }, undefined, cause);
  if (begun.outcome === 'account_changed') throw wrong('the account changed during the sign-in');
  const { session } = begun;
  const agreed = { ...agreedRequest(asked, consent), backchannel: asked.backchannel };
  try {
    const waiting = { request: agreed, signedIn: session.key, consented: session.key };
    const { next, client } = await needs.flow.progress(waiting, session);
    if (next.step !== 'grant')
      throw wrong(
        next.step === 'refuse' ? next.error_description : 'the person must sign in as the client asks',
      );
    const decider = { session, origin, actor: pageActor(by.page) };
    if (!(await allowBackchannel(deciding(needs), client, agreed, decider))) throw answered();
  } catch (failure) {
    await endUnused(needs, session, by);
    throw failure instanceof AuthorizationError ? wrong(failure.error_description) : failure;
  }
  return toPage({ state: 'allowed' });
}

/** No browser has this session, so one without a decision would only stay in lists. */
async function endUnused(
  { sessions }: BackchannelApiNeeds,
  session: StoredSession,
  { page, request }: { readonly page: MasterToken; readonly request: EndpointRequest },
): Promise<void> {
  const who = { actor: pageActor(page), request_id: request.id };
  await sessions.sessions.end(session.key, sessionEnded(sessions, session, who));
}

const deciding = <Needs extends BackchannelApiNeeds>(
  needs: Needs,
): Needs & Pick<BackchannelDecisionNeeds, 'backchannelRequests'> => ({
  ...needs,
  backchannelRequests: needs.storage.backchannelRequests,
});

const answered = (): NotFound => new NotFound('the request is answered or has expired');

const wrong = (error_description: string): OAuthError =>
  new OAuthError('invalid_request', { error_description });
