import {
  type AuthenticatedClient,
  identifyClient,
} from '../../clients/client-authentication/authenticate-client.ts';
import type { AuthenticationNeeds } from '../../clients/client-authentication/method.ts';
import { logEvent, originOf, personEvent, type RequestOrigin } from '../../clients/person-event.ts';
import { excludedAlgorithm } from '../../clients/registration/accepted-values.ts';
import type { Grant, Granted, GrantNeeds } from '../../grants/grant.ts';
import { offeredGrants } from '../../grants/grants.ts';
import { OAuthError, quotedValue } from '../../spec/errors.ts';
import { type FormLimits, type Parameters, parseForm } from '../../spec/parameters.ts';
import { bindingOf, type TokenBinding } from '../../tokens/confirmation.ts';
import { nextNonce, readDpopProof, verifyDpopProof } from '../../tokens/dpop-proof.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

const HEADERS = Object.freeze({ 'content-type': 'application/json', ...UNCACHED });

export interface TokenEndpointNeeds extends GrantNeeds {
  readonly authentication: AuthenticationNeeds;
  readonly form: FormLimits;
}

const { names: NAMES, repeatable: REPEATABLE } = contract.parameters;

/** Issues access tokens. Reads the form first, because it may hold the client's credentials. */
export function token(needs: TokenEndpointNeeds): Endpoint {
  const offered = offeredGrants(needs);
  const countIssued = countingIssued(needs, offered);
  return {
    contract,
    async handle(request) {
      const { headers, body, clientCertificate, remoteAddress } = request;
      const parameters = parseForm(headers['content-type'], body, NAMES, needs.form, REPEATABLE);
      const { authorization } = headers;
      const proof = readDpopProof(needs.dpop, headers['dpop'], contract);
      const identified = await identifyClient(needs.authentication, {
        authorization,
        parameters,
        certificate: clientCertificate,
        remoteAddress,
      });
      if (proof !== undefined) await verifyDpopProof(needs.dpop, proof);
      const client = { ...identified, proof };
      const grant = grantFor(offered, parameters, client);
      requireAcceptedAlgorithms(needs, client);
      const origin = originOf(request);
      const granted = await grant.handle(needs, client, parameters, origin);
      countIssued(grant, granted);
      noteIssued(needs, client, grant, granted, origin);
      return {
        status: 200,
        headers: proof === undefined ? HEADERS : { ...HEADERS, ...nextNonce(needs.dpop, proof) },
        body: JSON.stringify(granted.response),
      };
    },
  };
}

/** Returns the last word of a grant type that is a URN. */
const grantName = (grant_type: string): string => grant_type.split(':').at(-1) ?? grant_type;

const BINDINGS = ['none', 'dpop', 'certificate', 'dpop-and-certificate'] as const satisfies TokenBinding[];

/** Looks the series of the metric up once: each token is counted. */
function countingIssued(
  { metrics }: TokenEndpointNeeds,
  offered: readonly Grant[],
): (grant: Grant, granted: Granted) => void {
  const series = new Map(
    offered.flatMap(({ grant_type }) =>
      BINDINGS.map((binding) => {
        const labels = { grant: grantName(grant_type), binding };
        return [`${grant_type} ${binding}`, metrics.counter('chancery_tokens_issued_total', labels)] as const;
      }),
    ),
  );
  return ({ grant_type }, { token }) => {
    if (token !== undefined) series.get(`${grant_type} ${bindingOf(token)}`)?.();
  };
}

/** Logs tokens for an end-user. A client that acts for itself is counted only: its tokens are the hot path (ADR 71). */
function noteIssued(
  needs: TokenEndpointNeeds,
  { stored: { client_id } }: AuthenticatedClient,
  { grant_type }: Grant,
  { sub }: Granted,
  origin: RequestOrigin,
): void {
  if (sub === undefined) return;
  const action = grant_type === 'refresh_token' ? 'token.refresh' : 'token.issue';
  const about = { sub, client_id, actor: `client:${client_id}`, detail: grant_type };
  logEvent(needs, personEvent(needs, action, about, origin));
}

function grantFor(offered: readonly Grant[], parameters: Parameters, client: AuthenticatedClient): Grant {
  const grant_type = parameters['grant_type'];
  if (grant_type === undefined) {
    throw new OAuthError('invalid_request', {
      error_description: 'grant_type is missing',
      reason: 'missing-parameter',
    });
  }
  const grant = offered.find((each) => each.grant_type === grant_type);
  if (grant === undefined) {
    throw new OAuthError('unsupported_grant_type', {
      error_description: `grant_type ${quotedValue(grant_type)} is not supported, supported: ${offered.map((each) => each.grant_type).join(', ')}`,
      reason: 'grant-type',
      values: { grant_type },
    });
  }
  if (!client.metadata.grant_types.includes(grant.grant_type)) {
    throw new OAuthError('unauthorized_client', {
      error_description: `the client is not registered for grant_type ${quotedValue(grant_type)}`,
      reason: 'grant-type-not-registered',
      values: { grant_type },
    });
  }
  requireReadDetails(grant, parameters);
  return grant;
}

/** Refuses a client that registered before the settings excluded an algorithm: it could not read what it gets. */
function requireAcceptedAlgorithms(
  { settings }: TokenEndpointNeeds,
  { metadata }: AuthenticatedClient,
): void {
  const problem = excludedAlgorithm(metadata, settings['signatures.algorithms']);
  if (problem !== undefined)
    throw new OAuthError('unauthorized_client', {
      error_description: problem,
      reason: 'client-does-not-fit',
    });
}

/** A grant that passes over the details would give more than the client asked for (RFC 9396 §5). */
function requireReadDetails({ grant_type, parameters: read }: Grant, parameters: Parameters): void {
  if (parameters['authorization_details'] === undefined || read.includes('authorization_details')) return;
  throw new OAuthError('invalid_authorization_details', {
    error_description: `grant_type ${quotedValue(grant_type)} takes no authorization_details`,
    reason: 'authorization-details',
    values: { grant_type },
  });
}
