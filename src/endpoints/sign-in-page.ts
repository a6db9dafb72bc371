import { originOf, placeOf } from '../clients/person-event.ts';
import type { Settings } from '../config/settings.ts';
import type { ExternalSignIn } from '../grants/authorization/external-outcome.ts';
import { type ExternalAccountNeeds, externalAccount } from '../sessions/external-account.ts';
import { AccountRefused } from '../sessions/manage-account.ts';
import { OAuthError } from '../spec/errors.ts';
import { type MasterToken, masterTokens, presentedMaster } from '../tokens/bearer-token.ts';
import { UNCACHED } from './answer.ts';
import type { EndpointRequest, EndpointResponse } from './contract.ts';

/** Returns a function that requires the token of the operator's own page. @throws OAuthError invalid_token */
export function pageAuthority({
  settings,
}: {
  readonly settings: Settings;
}): (request: EndpointRequest) => MasterToken {
  const masters = masterTokens(settings['sign-in.token-sha256']);
  return ({ headers }) => presentedMaster(masters, headers['authorization'], settings['limits.bearer-token']);
}

/** Names the page in the audit. */
export const pageActor = ({ label }: MasterToken): string => `sign-in:${label}`;

/**
 * Returns the version of the account of a person that the page of the operator has authenticated. Makes or renews that account.
 * @throws OAuthError invalid_request
 */
export async function accountVersionOf(
  needs: ExternalAccountNeeds & { readonly settings: Settings },
  { subject: sub, claims }: Pick<ExternalSignIn, 'subject' | 'claims'>,
  { page, request }: { readonly page: MasterToken; readonly request: EndpointRequest },
): Promise<number> {
  const origin = originOf(request);
  const { request_id } = origin;
  const actor = { actor: pageActor(page), request_id, ...placeOf(needs.settings, origin) };
  try {
    return (await externalAccount(needs, { sub, claims }, actor)).version;
  } catch (failure) {
    if (!(failure instanceof AccountRefused)) throw failure;
    const error_description = failure.message.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '');
    throw new OAuthError('invalid_request', { error_description });
  }
}

/** Answers the page of the operator. */
export function toPage(members: object): EndpointResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...UNCACHED },
    body: JSON.stringify(members),
  };
}
