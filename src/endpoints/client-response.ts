import { metadataOf } from '../clients/registered-client.ts';
import { AuthorizationError } from '../grants/authorization/authorization-error.ts';
import type { ResponseTarget } from '../grants/authorization/authorization-request.ts';
import {
  authorizationResponse,
  type ResponseNeeds,
  type ResponseParameters,
} from '../grants/authorization/authorization-response.ts';
import { isStillTarget } from '../grants/authorization/response-target.ts';
import type { ClientStore, StoredClient } from '../ports/client-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { OAuthError } from '../spec/errors.ts';
import { UNCACHED } from './answer.ts';
import type { EndpointRequest, EndpointResponse } from './contract.ts';
import { pageClient } from './page-client.ts';
import { type PageNeeds, pageResponse } from './page-response.ts';

export interface ClientResponseNeeds extends PageNeeds {
  readonly responses: Omit<ResponseNeeds, 'now'>;
  readonly clients: ClientStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** Where an answer goes, and in which language a page that carries it speaks. */
export type AnsweredRequest = ResponseTarget & { readonly ui_locales?: string };

/**
 * Sends the browser back to its client: by a redirection, or with a page that posts (OAuth 2.0 Form Post Response Mode).
 * @throws OAuthError for the person, when the client has gone meanwhile
 */
export async function clientResponse(
  needs: ClientResponseNeeds,
  request: EndpointRequest,
  target: AnsweredRequest,
  parameters: ResponseParameters,
  cookies: readonly string[] = [],
): Promise<EndpointResponse> {
  const client = await sameClient(needs, target);
  const responses = { ...needs.responses, now: needs.clock.now() };
  const response = await authorizationResponse(responses, target, metadataOf(client), parameters);
  if (response.kind === 'redirect') return redirection(response.location, cookies);
  const { action } = response;
  const shown = pageClient(client, action, []);
  const page = { kind: 'form-post', action, client: shown, parameters: response.parameters } as const;
  return pageResponse(needs, request, page, { ui_locales: target.ui_locales, cookies });
}

/** RFC 9700 §4.12: after a form "303 … unambiguously enforces rewriting the HTTP POST request to an HTTP GET request". */
export function redirection(location: string, cookies: readonly string[] = []): EndpointResponse {
  return {
    status: 303,
    headers: { location, ...UNCACHED, 'referrer-policy': 'no-referrer' },
    ...(cookies.length === 0 ? {} : { cookies }),
  };
}

/** Tells a client why there is nothing for it; whatever else is thrown is for the person. */
export async function answeringClient(
  needs: ClientResponseNeeds,
  request: EndpointRequest,
  answer: () => Promise<EndpointResponse>,
): Promise<EndpointResponse> {
  try {
    return await answer();
  } catch (failure) {
    if (!(failure instanceof AuthorizationError)) throw failure;
    return await refusal(needs, request, failure);
  }
}

/** RFC 6749 §4.1.2.1. */
export async function refusal(
  needs: ClientResponseNeeds,
  request: EndpointRequest,
  { target, code: error, error_description, detail = error_description }: AuthorizationError,
  cookies: readonly string[] = [],
): Promise<EndpointResponse> {
  const { client_id } = target;
  needs.log.info({ request_id: request.id, client_id, error, detail }, 'authorisation refused');
  return await clientResponse(needs, request, target, { error, error_description }, cookies);
}

async function sameClient({ clients }: ClientResponseNeeds, target: ResponseTarget): Promise<StoredClient> {
  const client = await clients.find(target.client_id);
  if (isStillTarget(client, target)) return client;
  throw new OAuthError('invalid_request', {
    error_description: 'the client, or where it is answered, is not registered any more',
  });
}
