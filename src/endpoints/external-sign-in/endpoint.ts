import type { Settings } from '../../config/settings.ts';
import type { WaitingRequest } from '../../grants/authorization/authorization-interaction.ts';
import type { AuthorizationRequest } from '../../grants/authorization/authorization-request.ts';
import {
  type ExternalOutcome,
  type KeptOutcome,
  readExternalOutcome,
} from '../../grants/authorization/external-outcome.ts';
import { requestedClaims } from '../../grants/authorization/next-step.ts';
import type { DetailTypes } from '../../grants/authorization-details/detail-types.ts';
import { digestOf } from '../../keys/digest.ts';
import type { ClientStore } from '../../ports/client-store.ts';
import type { ExternalAccountNeeds } from '../../sessions/external-account.ts';
import {
  changeInteraction,
  findInteractionOfAnyBrowser,
  type Interaction,
  type InteractionNeeds,
} from '../../sessions/interaction.ts';
import { NotFound } from '../../spec/errors.ts';
import { IDENTIFIER_LENGTHS } from '../../spec/identifiers.ts';
import { type JsonLimits, parseJsonObject } from '../../spec/json.ts';
import { preferredLanguages } from '../../spec/languages.ts';
import { requireMediaType } from '../../spec/media-type.ts';
import type { MasterToken } from '../../tokens/bearer-token.ts';
import { INTERACTION_PATH } from '../authorization-flow.ts';
import type { Endpoint, EndpointRequest } from '../contract.ts';
import { pageClient } from '../page-client.ts';
import { accountVersionOf, pageAuthority, toPage } from '../sign-in-page.ts';
import { contract, outcomeContract } from './contract.ts';

export interface ExternalSignInNeeds extends ExternalAccountNeeds {
  readonly issuer: string;
  readonly clients: ClientStore;
  readonly interactions: InteractionNeeds;
  readonly json: JsonLimits;
  readonly settings: Settings;
  readonly detailTypes: DetailTypes;
}

/** Describes a waiting request to the operator's own sign-in page. */
export function externalSignIn(needs: ExternalSignInNeeds): Endpoint {
  const requirePage = pageAuthority(needs);
  return {
    contract,
    async handle(request) {
      requirePage(request);
      const { stored, content } = await waiting(needs, request);
      return toPage({ ...(await described(needs, content.request)), expires_at: stored.expires_at });
    },
  };
}

/**
 * Takes the outcome from the operator's page, once, and returns the address for the browser. That address works only in the
 * browser in which the request began. An attacker who sends the link of a request to a victim gains nothing: the attacker's
 * browser lacks the proof in the address, and the victim's browser lacks the cookie of the request.
 */
export function externalSignInOutcome(needs: ExternalSignInNeeds): Endpoint {
  const requirePage = pageAuthority(needs);
  return {
    contract: outcomeContract,
    async handle(request) {
      const page = requirePage(request);
      requireMediaType(request.headers['content-type'], 'application/json');
      const body = parseJsonObject(request.body, needs.json);
      const interaction = await waiting(needs, request);
      const times = { begun_at: interaction.stored.created_at, now: needs.clock.now() };
      const circumstances = { times, detailTypes: needs.detailTypes, consentText: body.source('consent') };
      const outcome = readExternalOutcome(body.members, interaction.content.request, circumstances);
      const proof = needs.interactions.random.alphanumeric(IDENTIFIER_LENGTHS.session);
      const kept = await keptOutcome(needs, outcome, proof, { page, request });
      const content: WaitingRequest = { ...interaction.content, external: kept };
      if ((await changeInteraction(needs.interactions, interaction, content)) === undefined)
        throw new NotFound('the request already has an outcome');
      return toPage({
        redirect_to: `${needs.issuer}${INTERACTION_PATH}/${request.segment}?outcome=${proof}`,
      });
    },
  };
}

/**
 * Returns the request that waits for an outcome.
 * @throws NotFound for a handle that is unknown, expired, or already has an outcome
 */
async function waiting(
  { interactions }: ExternalSignInNeeds,
  { segment }: EndpointRequest,
): Promise<Interaction<WaitingRequest>> {
  const found = await findInteractionOfAnyBrowser<WaitingRequest>(interactions, 'authorization', segment);
  if (found === undefined || found.content.external !== undefined)
    throw new NotFound('no request waits for an outcome under this handle');
  return found;
}

async function described({ clients }: ExternalSignInNeeds, request: AuthorizationRequest): Promise<object> {
  const { client_id, redirect_uri, prompt, max_age, acr_values, login_hint, ui_locales, scope, resource } =
    request;
  const client = await clients.find(client_id);
  if (client?.instance !== request.client_instance) throw new NotFound('the client is no longer registered');
  return {
    client: { client_id, ...pageClient(client, redirect_uri, preferredLanguages(ui_locales, undefined)) },
    scope,
    claims: requestedClaims(request),
    resource,
    authorization_details: request.authorization_details,
    prompt,
    acr_values,
    acr: request.claims.id_token['acr'],
    max_age,
    login_hint,
    ui_locales,
  };
}

async function keptOutcome(
  needs: ExternalSignInNeeds,
  outcome: ExternalOutcome,
  proof: string,
  by: { readonly page: MasterToken; readonly request: EndpointRequest },
): Promise<KeptOutcome> {
  if ('error' in outcome) return { proof: digestOf(proof), refused: outcome };
  const { subject: sub, claims: _kept, ...how } = outcome;
  const accountVersion = await accountVersionOf(needs, outcome, by);
  return { proof: digestOf(proof), signedIn: { ...how, sub, accountVersion } };
}
