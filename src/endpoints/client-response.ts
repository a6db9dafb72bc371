import { metadataOf } from '../clients/registered-client.ts';
import { AuthorizationError, type ResponseTarget } from '../grants/authorization/authorization-request.ts';
import {
  type AuthorizationResponse,
  authorizationResponse,
  type ResponseNeeds,
  type ResponseParameters,
} from '../grants/authorization/authorization-response.ts';
import { isStillTarget } from '../grants/authorization/response-target.ts';
import type { ClientStore, StoredClient } from '../ports/client-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { LeavePage } from '../ports/pages.ts';
import { OAuthError } from '../spec/errors.ts';
import { preferredLanguages } from '../spec/languages.ts';
import { isPrivateUse } from '../spec/private-use-scheme.ts';
import { UNCACHED } from './answer.ts';
import type { EndpointRequest, EndpointResponse } from './contract.ts';
import { isAnybodys, pageClient } from './page-client.ts';
import { type PageNeeds, pageResponse } from './page-response.ts';

export interface ClientResponseNeeds extends PageNeeds {
  readonly responses: Omit<ResponseNeeds, 'now'>;
  readonly clients: ClientStore;
  readonly clock: Clock;
}

/** The destination of a response, and the languages for a page on the way. */
export type AnsweredRequest = ResponseTarget & { readonly ui_locales?: string };

/** How a response leaves the server. */
export interface Departure {
  readonly cookies?: readonly string[];
  /** Whether the person has used a page of this server since the request arrived. */
  readonly interacted: boolean;
}

/**
 * Sends the browser back to its client, by a redirection or with a page that posts (OAuth 2.0 Form Post Response Mode).
 * @throws OAuthError for the person, if the client or its redirection URI is no longer registered
 */
export async function clientResponse(
  needs: ClientResponseNeeds,
  request: EndpointRequest,
  target: AnsweredRequest,
  parameters: ResponseParameters,
  { cookies = [], interacted }: Departure,
): Promise<EndpointResponse> {
  const made = await responseFor(needs, target, parameters);
  return needsPerson(made.client, target, interacted)
    ? leavePage(needs, request, { target, ...made }, cookies)
    : delivered(needs, request, target, made, cookies);
}

/**
 * Says whether a person must lead the browser to the client (decision 47). Any application can claim a private-use scheme, and
 * anyone may have registered this client: RFC 8252 §8.6: "authorization servers SHOULD NOT process authorization requests
 * automatically without user consent or interaction".
 */
function needsPerson(client: StoredClient, { redirect_uri }: ResponseTarget, interacted: boolean): boolean {
  return !interacted && isPrivateUse(redirect_uri) && isAnybodys(client);
}

/** A response, with the current registration of its client. */
interface Made {
  readonly client: StoredClient;
  readonly response: AuthorizationResponse;
}

function delivered(
  needs: ClientResponseNeeds,
  request: EndpointRequest,
  { ui_locales }: AnsweredRequest,
  { client, response }: Made,
  cookies: readonly string[],
): EndpointResponse {
  if (response.kind === 'redirect') return redirection(response.location, cookies);
  const { action, parameters } = response;
  const page = { kind: 'form-post', action, client: pageClient(client, action, []), parameters } as const;
  return pageResponse(needs, request, page, { ui_locales, cookies });
}

async function responseFor(
  needs: ClientResponseNeeds,
  target: ResponseTarget,
  parameters: ResponseParameters,
): Promise<Made> {
  const client = await sameClient(needs, target);
  const responses = { ...needs.responses, now: needs.clock.now() };
  return { client, response: await authorizationResponse(responses, target, metadataOf(client), parameters) };
}

/**
 * Returns a redirection with status 303, which "unambiguously enforces rewriting the HTTP POST request to an HTTP GET request"
 * (RFC 9700 §4.12).
 */
export function redirection(location: string, cookies: readonly string[] = []): EndpointResponse {
  return {
    status: 303,
    headers: { location, ...UNCACHED, 'referrer-policy': 'no-referrer' },
    ...(cookies.length === 0 ? {} : { cookies }),
  };
}

/** Sends an `AuthorizationError` to the client. Any other error is for the person. */
export async function answeringClient(
  needs: ClientResponseNeeds,
  request: EndpointRequest,
  answer: () => Promise<EndpointResponse>,
): Promise<EndpointResponse> {
  try {
    return await answer();
  } catch (failure) {
    if (!(failure instanceof AuthorizationError)) throw failure;
    return await refusal(needs, request, failure, { interacted: false });
  }
}

/** Sends a refusal to the client (RFC 6749 §4.1.2.1). The edge logs it. */
export async function refusal(
  needs: ClientResponseNeeds,
  request: EndpointRequest,
  refused: AuthorizationError,
  { cookies = [], interacted }: Departure,
): Promise<EndpointResponse> {
  const { target, code: error, error_description } = refused;
  const made = await responseFor(needs, target, { error, error_description });
  const asks =
    needs.settings['sign-in.open-client-errors'] === 'page' && !AT_ONCE.has(error) && isAnybodys(made.client);
  const response =
    asks || needsPerson(made.client, target, interacted)
      ? leavePage(needs, request, { target, error, ...made }, cookies)
      : delivered(needs, request, target, made, cookies);
  return { ...response, refused };
}

/**
 * Errors that need no page first: the client forbade pages (OpenID Connect Core 1.0 §3.1.2.6), or the person has already
 * refused on a page of this server.
 */
const AT_ONCE: ReadonlySet<string> = new Set(['login_required', 'consent_required', 'access_denied']);

/**
 * RFC 9700 §4.11.2: "The authorization server SHOULD only automatically redirect the user agent if it trusts the redirect URI. If the
 * URI is not trusted, the authorization server MAY inform the user and rely on the user to make the correct decision."
 */
function leavePage(
  needs: ClientResponseNeeds,
  request: EndpointRequest,
  { target, error, client, response }: Made & { readonly target: AnsweredRequest; readonly error?: string },
  cookies: readonly string[],
): EndpointResponse {
  const { redirect_uri, ui_locales } = target;
  const languages = preferredLanguages(ui_locales, request.headers['accept-language']);
  const redirects = response.kind === 'redirect';
  const page: LeavePage = {
    kind: 'leave',
    client: pageClient(client, redirect_uri, languages),
    error,
    location: redirects ? response.location : undefined,
    post: redirects ? undefined : response,
  };
  return pageResponse(needs, request, page, { ui_locales, formTargets: [redirect_uri], cookies });
}

async function sameClient({ clients }: ClientResponseNeeds, target: ResponseTarget): Promise<StoredClient> {
  const client = await clients.find(target.client_id);
  if (isStillTarget(client, target)) return client;
  throw new OAuthError('invalid_request', {
    error_description: 'the client or its redirect_uri is no longer registered',
  });
}
