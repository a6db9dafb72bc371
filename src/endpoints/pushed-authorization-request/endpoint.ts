import {
  identifyPushingClient,
  leavesProofToRequestObject,
} from '../../clients/client-authentication/authenticate-client.ts';
import type { AuthenticationNeeds } from '../../clients/client-authentication/method.ts';
import type { NetworkLimits } from '../../clients/rate-limits.ts';
import { metadataOf } from '../../clients/registered-client.ts';
import { AuthorizationError } from '../../grants/authorization/authorization-request.ts';
import type { PushedRequest } from '../../grants/authorization/pushed-request.ts';
import type { AuthorizationRequests } from '../../grants/authorization/receive-authorization-request.ts';
import { OAuthError } from '../../spec/errors.ts';
import { type FormLimits, parseForm } from '../../spec/parameters.ts';
import {
  type DpopNeeds,
  type DpopProof,
  nextNonce,
  readDpopProof,
  takeDpopProof,
  verifyDpopProof,
} from '../../tokens/dpop-proof.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

const HEADERS = Object.freeze({ 'content-type': 'application/json', ...UNCACHED });

export interface PushedAuthorizationRequestNeeds {
  /** Finds clients that a federation vouches for too. */
  readonly pushing: AuthenticationNeeds;
  readonly authorizationRequests: AuthorizationRequests;
  /** Limits for requests whose client did not prove itself. */
  readonly interactionLimits: NetworkLimits;
  readonly form: FormLimits;
  readonly dpop: DpopNeeds;
}

const { names: NAMES, repeatable: REPEATABLE } = contract.parameters;

/** Receives an authorisation request directly from its client, checks it like the authorisation endpoint, and stores it for a limited time. */
export function pushedAuthorizationRequest(needs: PushedAuthorizationRequestNeeds): Endpoint {
  const { pushing, authorizationRequests, interactionLimits } = needs;
  return {
    contract,
    async handle({ headers, body, clientCertificate: certificate, remoteAddress }) {
      const { authorization } = headers;
      const sent = parseForm(headers['content-type'], body, NAMES, needs.form, REPEATABLE);
      const offered = { authorization, parameters: sent, certificate, remoteAddress };
      // Before a federation is asked, and before the object is opened: a refused request must cost little.
      const takeBack = leavesProofToRequestObject(offered)
        ? await interactionLimits.admit(remoteAddress)
        : undefined;
      const proof = readDpopProof(needs.dpop, headers['dpop'], contract);
      const { stored } = await identifyPushingClient(pushing, offered);
      if (proof !== undefined) await verifyDpopProof(needs.dpop, proof);
      const isPublic = metadataOf(stored).token_endpoint_auth_method === 'none';
      if (isPublic && takeBack === undefined) await interactionLimits.admit(remoteAddress);
      try {
        const request = await authorizationRequests.receivePushed(
          stored,
          { ...sent, client_id: stored.client_id },
          remoteAddress,
        );
        const bound = proof === undefined ? request : boundTo(proof, request);
        if (proof !== undefined) await takeDpopProof(needs.dpop, proof);
        const pushed = await authorizationRequests.push(stored.client_id, bound);
        if (!isPublic) await takeBack?.();
        return {
          status: 201,
          headers: proof === undefined ? HEADERS : { ...HEADERS, ...nextNonce(needs.dpop, proof) },
          body: JSON.stringify(pushed),
        };
      } catch (failure) {
        throw failure instanceof AuthorizationError ? forItsClient(failure) : failure;
      }
    },
  };
}

/**
 * Binds the code to the key of the proof. RFC 9449 §10.1: the server "MUST reject the request" if `dpop_jkt` names another key.
 */
function boundTo({ jkt }: DpopProof, request: PushedRequest): PushedRequest {
  const { dpop_jkt = jkt } = request.parameters;
  if (dpop_jkt === jkt) return { ...request, parameters: { ...request.parameters, dpop_jkt } };
  throw new OAuthError('invalid_dpop_proof', {
    error_description: 'the DPoP proof has another key than dpop_jkt names',
    reason: 'dpop-proof',
    values: { dpop_jkt },
  });
}

/** Turns the error into JSON, because no redirection takes place (RFC 9126 §2.3). */
function forItsClient({ code, error_description, notes, retryAfter }: AuthorizationError): OAuthError {
  return new OAuthError(code, {
    error_description,
    ...notes,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}
