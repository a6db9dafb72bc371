import type { OutboundFailure } from '../../ports/outbound-http.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { JsonObject } from '../../spec/json.ts';
import type { RegistrationPrivileges } from '../../spec/registration-privileges.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { requireAllowedHosts, requirePrivileges } from './privileges.ts';
import { type ValidatedMetadata, validateMetadata } from './validate-metadata.ts';

/**
 * Everything that metadata has to pass before it is stored, whether it makes a client or changes one: permission first,
 * then form, then what has to be asked of others.
 * @param presentedToken whether a lacking privilege is answered with what the token lacks, or with the wish for one.
 * @throws OAuthError invalid_token, insufficient_scope, invalid_client_metadata, invalid_redirect_uri
 */
export async function admitMetadata(
  needs: RegistryNeeds,
  request: JsonObject,
  privileges: RegistrationPrivileges,
  presentedToken: boolean,
): Promise<ValidatedMetadata> {
  requirePrivileges(request, privileges, presentedToken);
  const validated = validateMetadata(request, needs.settings.metadata);
  requireAllowedHosts(validated.metadata, privileges);
  requireCallableUrls(needs, validated.metadata);
  await requireSectorIdentifier(needs, validated.metadata);
  return validated;
}

/** Members whose URLs this server itself calls, now or later. They are checked when written and again when used. */
const CALLED = ['jwks_uri', 'sector_identifier_uri', 'backchannel_logout_uri'] as const;

/** @throws OAuthError invalid_client_metadata for a URL that could never be called, such as one of the inside */
export function requireCallableUrls(needs: RegistryNeeds, metadata: ClientMetadata): void {
  for (const member of CALLED) {
    const url = metadata[member];
    const problem = typeof url === 'string' ? needs.outbound.urlProblem(url) : undefined;
    if (problem !== undefined) {
      throw new OAuthError('invalid_client_metadata', {
        error_description: `${member} cannot be called: ${problem.reason}`,
        detail: problem.detail,
      });
    }
  }
}

/**
 * OpenID Connect Dynamic Client Registration 1.0 §5: the sector identifier's document "MUST contain … an array of redirect_uri values",
 * and "the values registered in redirect_uris MUST be included in the elements of the array".
 */
export async function requireSectorIdentifier(needs: RegistryNeeds, metadata: ClientMetadata): Promise<void> {
  const uri = metadata['sector_identifier_uri'];
  if (typeof uri !== 'string') return;
  const fetched = await needs.outbound.get(uri, { mediaTypes: ['application/json'] });
  if (fetched.status === 'failed')
    throw invalid(publicReason(fetched.reason), `${fetched.reason}: ${fetched.detail}`);
  const listed = stringsOf(fetched.body);
  if (listed === undefined) throw invalid('is not a JSON array of strings');
  if (!(metadata.redirect_uris ?? []).every((redirect) => listed.has(redirect))) {
    throw invalid('does not list every value of redirect_uris');
  }
}

/** What was answered, the registrant may know; whether a name or an address of our inside is there, not. */
const ANSWERED: ReadonlySet<OutboundFailure> = new Set([
  'redirected',
  'too-large',
  'encoded',
  'media-type',
  'status',
]);

function publicReason(reason: OutboundFailure): string {
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
