import { originOf } from '../../clients/person-event.ts';
import { metadataOf } from '../../clients/registered-client.ts';
import { contentOf, openRequest, requestsTo } from '../../grants/backchannel/backchannel-request.ts';
import {
  type BackchannelDecisionNeeds,
  blockBackchannel,
  denyBackchannel,
  unblockBackchannel,
} from '../../grants/backchannel/decide.ts';
import type { BackchannelBlock, StoredBackchannelRequest } from '../../ports/backchannel-request-store.ts';
import type { ClientStore, StoredClient } from '../../ports/client-store.ts';
import type { PageBlock, PageClient, PageRequest } from '../../ports/pages.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import { antiForgeryToken, isAntiForgeryToken } from '../../sessions/browser-session.ts';
import { beginInteraction, type InteractionNeeds } from '../../sessions/interaction.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { issuerPath } from '../../spec/issuer.ts';
import { preferredLanguages } from '../../spec/languages.ts';
import { type FormLimits, type Parameters, parseForm } from '../../spec/parameters.ts';
import { INTERACTION_PATH } from '../authorization-flow.ts';
import { redirection } from '../client-response.ts';
import type { Endpoint, EndpointRequest, EndpointResponse } from '../contract.ts';
import { isAnybodys, saidIn } from '../page-client.ts';
import { errorPage, pageResponse } from '../page-response.ts';
import { type PresentSession, presentSession } from '../present-session.ts';
import { contract, postContract } from './contract.ts';
import { type OwnSignInNeeds, signInForm, signInOnPage } from './own-sign-in.ts';

export interface BackchannelRequestsNeeds
  extends OwnSignInNeeds,
    Omit<BackchannelDecisionNeeds, 'backchannelRequests'> {
  readonly interactions: InteractionNeeds;
  readonly clients: Pick<ClientStore, 'find'>;
  readonly storage: Pick<TenantStorage, 'backchannelRequests'>;
  readonly form: FormLimits;
}

/** Shows the requests that wait for the person at this browser, and the clients that the person has blocked. */
export function backchannelRequests(needs: BackchannelRequestsNeeds): Endpoint {
  return {
    contract,
    errorPage: errorPage(needs),
    async handle(request) {
      needs.browser.requireVisit(request);
      const found = await presentSession(needs, request);
      return found === undefined ? signInForm(needs, request) : await listPage(needs, request, found);
    },
  };
}

/** Handles the buttons of the page. Each has a form token of its own, which only this session has. */
export function backchannelRequestsForm(needs: BackchannelRequestsNeeds): Endpoint {
  return {
    contract: postContract,
    errorPage: errorPage(needs),
    async handle(request) {
      needs.browser.requireOwnPage(request);
      const { headers, body } = request;
      const form = parseForm(headers['content-type'], body, postContract.parameters.names, needs.form);
      return form['choice'] === 'sign-in'
        ? await signInOnPage(needs, request, form)
        : await chosen(needs, request, form);
    },
  };
}

const deciding = ({ storage, ...needs }: BackchannelRequestsNeeds): BackchannelDecisionNeeds => ({
  ...needs,
  backchannelRequests: storage.backchannelRequests,
});

async function chosen(
  needs: BackchannelRequestsNeeds,
  request: EndpointRequest,
  { choice, form_token = '', request_id = '', client_id = '' }: Parameters,
): Promise<EndpointResponse> {
  const found = await presentSession(needs, request);
  const purpose = choice === 'unblock' ? unblocking(client_id) : answering(request_id);
  if (found === undefined || !isAntiForgeryToken(form_token, found.cookie, purpose))
    throw new OAuthError('invalid_request', {
      error_description: 'the form does not belong to the page of the end-user who is signed in',
      reason: 'foreign-form',
    });
  const { sub } = found.session;
  const by = { origin: originOf(request) };
  if (choice === 'unblock') {
    const blocks = await needs.storage.backchannelRequests.blocksOf(sub, needs.clock.now());
    for (const block of blocks)
      if (block.client_id === client_id) await unblockBackchannel(deciding(needs), block, sub, by);
    return back(needs);
  }
  const open = await openRequest(deciding(needs), request_id, needs.clock.now());
  // Answered elsewhere, or too late: the page shows what is left.
  if (open?.sub !== sub) return back(needs);
  if (choice === 'deny') await denyBackchannel(deciding(needs), open, sub, by);
  if (choice === 'block') await blockBackchannel(deciding(needs), open, sub, by);
  return choice === 'review' ? await review(needs, request, open) : back(needs);
}

const back = ({ issuer }: BackchannelRequestsNeeds): EndpointResponse => redirection(issuer + contract.path);

/** Leads to the pages of an authorisation request: a sign-in where the client needs a newer or stronger one, and consent. */
async function review(
  { browser, interactions, issuer }: BackchannelRequestsNeeds,
  request: EndpointRequest,
  open: StoredBackchannelRequest,
): Promise<EndpointResponse> {
  const cookie = browser.cookie(request, 'interaction');
  const waiting = { request: contentOf(open).request };
  const begun = await beginInteraction(interactions, 'authorization', waiting, cookie);
  const cookies = cookie === undefined ? [browser.keep('interaction', begun.browser)] : [];
  return redirection(`${issuer}${INTERACTION_PATH}/${begun.handle}`, cookies);
}

const answering = (id: string): string => `backchannel:${id}`;
const unblocking = (client_id: string): string => `backchannel-unblock:${client_id}`;

async function listPage(
  needs: BackchannelRequestsNeeds,
  request: EndpointRequest,
  present: PresentSession,
): Promise<EndpointResponse> {
  const { directory, storage, clock, issuer } = needs;
  const { sub } = present.session;
  const now = clock.now();
  const account = await directory.find(sub);
  const open = await requestsTo({ ...deciding(needs), clients: needs.clients }, sub, now);
  const blocks = await storage.backchannelRequests.blocksOf(sub, now);
  const tags = preferredLanguages(undefined, request.headers['accept-language']);
  return pageResponse(needs, request, {
    kind: 'requests',
    username: account?.username ?? '',
    action: `${issuerPath(issuer)}${contract.path}`,
    requests: open.map((one) => shown(one, present, tags)),
    blocks: await Promise.all(blocks.map(async (one) => await shownBlock(needs, one, present, tags))),
  });
}

function shown(
  { waiting, client }: Awaited<ReturnType<typeof requestsTo>>[number],
  { cookie }: PresentSession,
  tags: readonly string[],
): PageRequest {
  const { id, client_id, content, created_at, expires_at } = waiting;
  const { scope, backchannel } = contentOf({ content }).request;
  return {
    client: shownClient(client_id, client, tags),
    id,
    form_token: antiForgeryToken(cookie, answering(id)),
    binding_message: backchannel.binding_message,
    address: backchannel.address,
    scope,
    since: minuteOf(created_at),
    until: minuteOf(expires_at),
  };
}

async function shownBlock(
  { clients }: BackchannelRequestsNeeds,
  { client_id, expires_at }: BackchannelBlock,
  { cookie }: PresentSession,
  tags: readonly string[],
): Promise<PageBlock> {
  return {
    client: shownClient(client_id, await clients.find(client_id), tags),
    client_id,
    form_token: antiForgeryToken(cookie, unblocking(client_id)),
    until: new Date(expires_at * 1000).toISOString().slice(0, 'YYYY-MM-DD'.length),
  };
}

/** The request came from no page, so no address vouches for the client. */
function shownClient(
  client_id: ClientId,
  client: StoredClient | undefined,
  tags: readonly string[],
): PageClient {
  const metadata = client === undefined ? undefined : metadataOf(client);
  const name = metadata === undefined ? undefined : saidIn(metadata, 'client_name', tags);
  return {
    name: name ?? client_id,
    host: undefined,
    vouched: client !== undefined && !isAnybodys(client),
  };
}

const minuteOf = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')} UTC`;
