import type { OutboundFailure } from '../../ports/outbound-http.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { OAuthError, temporarilyUnavailable } from '../../spec/errors.ts';
import type { JsonObject } from '../../spec/json.ts';
import { type Mistake, refuseMistakes, shownUri } from '../../spec/metadata-mistake.ts';
import type { RegistrationPrivileges } from '../../spec/registration-privileges.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { sectorAddresses } from '../sector-addresses.ts';
import { adminScopeMistakes } from './admin-scope.ts';
import { hostMistakes, offeredTo, requirePrivileges } from './privileges.ts';
import { examineMetadata, type ValidatedMetadata } from './validate-metadata.ts';

/** The party that sends metadata. */
export interface MetadataSender {
  readonly privileges: RegistrationPrivileges;
  /**
   * Whether the caller presented a token. It decides how a missing privilege is answered: with the missing
   * scope, or with a request for a token.
   */
  readonly presentedToken: boolean;
  /** The IP address of the request; undefined on the command line. */
  readonly remoteAddress: string | undefined;
}

/**
 * Checks metadata before it is stored, for a new client and for an update: privileges first, then everything that the request
 * itself shows, with all mistakes at once, then resources of other hosts.
 * @throws OAuthError invalid_token, insufficient_scope, invalid_client_metadata, invalid_redirect_uri;
 * temporarily_unavailable if the server is too busy to fetch a document that it names
 */
export async function admitMetadata(
  needs: RegistryNeeds,
  request: JsonObject,
  { privileges, presentedToken, remoteAddress }: MetadataSender,
): Promise<ValidatedMetadata> {
  const { grant_types: asked } = request.members;
  const grantTypes = offeredTo(needs, privileges, presentedToken, asked);
  requirePrivileges(request, privileges, grantTypes, presentedToken);
  const { validated, mistakes } = examineMetadata(request, { ...needs.metadataLimits, grantTypes });
  const { metadata, dropped } = validated;
  refuseMistakes(
    [
      ...mistakes,
      ...adminScopeMistakes(metadata, privileges),
      ...hostMistakes(metadata, privileges),
      ...callMistakes(needs, metadata),
    ],
    dropped,
  );
  await requireSectorIdentifier(needs, validated.metadata, remoteAddress);
  return validated;
}

/** Members whose URLs this server requests. They are checked at registration and again at each use. */
const CALLED = [
  'jwks_uri',
  'signed_jwks_uri',
  'sector_identifier_uri',
  'backchannel_logout_uri',
  'backchannel_client_notification_endpoint',
] as const;

/**
 * Rejects URLs that this server must never request, such as those of internal hosts.
 * @throws MetadataRefused with the code invalid_client_metadata
 */
export function requireCallableUrls(needs: RegistryNeeds, metadata: ClientMetadata): void {
  refuseMistakes(callMistakes(needs, metadata));
}

function callMistakes(needs: RegistryNeeds, metadata: ClientMetadata): readonly Mistake[] {
  return CALLED.flatMap((member) => {
    const url = metadata[member];
    const problem = typeof url === 'string' ? needs.outbound.urlProblem(url) : undefined;
    if (problem === undefined || typeof url !== 'string') return [];
    const { reason, detail } = problem;
    return [{ member, value: shownUri(url), rule: `cannot be called: ${reason}`, detail }];
  });
}

/**
 * Fetches the document at `sector_identifier_uri` and checks it. OpenID Connect Dynamic Client Registration
 * 1.0 §5: it "MUST contain … an array of redirect_uri values", and "the values registered in redirect_uris
 * MUST be included in the elements of the array". OpenID Connect CIBA Core 1.0 §4 has the same for `jwks_uri` and the address
 * that gets tokens.
 * @throws OAuthError invalid_client_metadata, temporarily_unavailable
 */
async function requireSectorIdentifier(
  needs: RegistryNeeds,
  metadata: ClientMetadata,
  remoteAddress: string | undefined,
): Promise<void> {
  const uri = metadata['sector_identifier_uri'];
  if (typeof uri !== 'string') return;
  const cause = { purpose: 'sector-identifiers', remoteAddress } as const;
  const fetched = await needs.outbound.get(uri, { mediaTypes: ['application/json'] }, cause);
  if (fetched.status === 'failed') {
    const { reason, retryAfter } = fetched;
    const detail = `${reason}: ${fetched.detail}`;
    // The registrant can repair a document that gives no answer. It cannot help it that this server is busy.
    if ((reason === 'busy' || reason === 'gave-way') && retryAfter !== undefined)
      throw temporarilyUnavailable('sector_identifier_uri cannot be fetched now; try again later', {
        retryAfter,
        detail,
      });
    throw invalid(publicReason(reason), detail);
  }
  const listed = stringsOf(fetched.body);
  if (listed === undefined) throw invalid('must return a JSON array of strings');
  for (const { member, url } of sectorAddresses(metadata))
    if (!listed.has(url)) throw invalid(`does not list ${member} ${shownUri(url)}`);
}

/**
 * Failures that the registrant may see. Other failures would reveal which internal names and addresses exist.
 */
const ANSWERED: ReadonlySet<OutboundFailure> = new Set([
  'redirected',
  'too-large',
  'encoded',
  'media-type',
  'status',
]);

export function publicReason(reason: OutboundFailure): string {
  return ANSWERED.has(reason) ? `cannot be used: ${reason}` : 'cannot be fetched';
}

function stringsOf(body: Uint8Array): ReadonlySet<string> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
  return Array.isArray(value) && value.every((element) => typeof element === 'string')
    ? new Set(value)
    : undefined;
}

function invalid(problem: string, detail?: string): OAuthError {
  return new OAuthError('invalid_client_metadata', {
    error_description: `sector_identifier_uri ${problem}`,
    ...(detail === undefined ? {} : { detail }),
  });
}
