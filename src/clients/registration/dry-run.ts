import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { OAuthError, quotedValue } from '../../spec/errors.ts';
import type { JsonObject } from '../../spec/json.ts';
import { listedMistakes, MetadataRefused } from '../../spec/metadata-mistake.ts';
import { isPrivateUse, isReversedDomain } from '../../spec/private-use-scheme.ts';
import { ALL_PRIVILEGES } from '../../spec/registration-privileges.ts';
import { parseUri } from '../../spec/uri.ts';
import { type AuditTrail, doneEvent, record } from '../audit-trail.ts';
import { metadataText } from '../client-information.ts';
import { metadataOf } from '../registered-client.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { missingPrivileges, offeredTo } from './privileges.ts';
import { prepareClient, presentedToken } from './register-client.ts';
import type { Registrant } from './registration-authority.ts';

/**
 * Checks a registration without storing anything or using up a token.
 * @returns JSON text: `metadata` as it would be stored, `data` as sent, `missing_scopes` that the credentials
 * lack, `dropped` with everything that the server does not take, and `warnings` about risky metadata
 * @throws OAuthError for metadata that no token could register, with `mistakes` in the answer
 */
export async function dryRun(
  needs: RegistryNeeds,
  registrant: Registrant,
  request: JsonObject,
  trail: AuditTrail,
): Promise<string> {
  const { grant_types: asked } = request.members;
  const offered = offeredTo(needs, registrant.privileges, presentedToken(registrant), asked);
  const missing_scopes = missingPrivileges(request, registrant.privileges, offered);
  const { redirect_hosts, admin_scope = [] } = registrant.privileges;
  const allowed = { ...ALL_PRIVILEGES, grant_types: offered, redirect_hosts, admin_scope };
  const prepared = await prepareClient(needs, { ...registrant, privileges: allowed }, request).catch(
    (failure: unknown) => {
      throw failure instanceof MetadataRefused ? withMistakes(failure, missing_scopes) : failure;
    },
  );
  const client = { ...prepared.client, privileges: JSON.stringify(registrant.privileges) };
  const metadata = metadataOf(client);
  const { preferred_client_id } = request.members;
  // Only callers that may choose an identifier may learn which are taken.
  const mayChoose = typeof preferred_client_id === 'string' && !missing_scopes.includes('client-reg:set-id');
  if (mayChoose && (await needs.clients.find(client.client_id)) !== undefined) {
    throw new OAuthError('invalid_client_metadata', {
      error_description: `preferred_client_id ${quotedValue(client.client_id)} is taken`,
    });
  }
  record(needs, doneEvent(needs, trail, 'dry run'));
  const answer = JSON.stringify({
    dry_run: true,
    missing_scopes,
    dropped: listedMistakes(prepared.dropped),
    warnings: warnings(metadata),
  });
  return `${answer.slice(0, -1)},"metadata":{${metadataText(client)}}}`;
}

/** Returns the refusal with all its mistakes as members of the answer. */
function withMistakes(refused: MetadataRefused, missing_scopes: readonly string[]): OAuthError {
  const { code, error_description, detail, mistakes, dropped } = refused;
  return new OAuthError(code, {
    error_description,
    ...(detail === undefined ? {} : { detail }),
    members: {
      dry_run: true,
      missing_scopes,
      mistakes: listedMistakes(mistakes),
      dropped: listedMistakes(dropped),
    },
  });
}

/** Returns the advice that applies to the metadata. */
export function warnings(metadata: ClientMetadata): readonly string[] {
  return ADVICE.flatMap(({ applies, text }) => (applies(metadata) ? [text] : []));
}

interface Advice {
  readonly text: string;
  readonly applies: (metadata: ClientMetadata) => boolean;
}

const redirects = (metadata: ClientMetadata): readonly string[] => metadata.redirect_uris ?? [];

const ADVICE: readonly Advice[] = [
  {
    text: 'the implicit grant exposes tokens in URLs; use authorization_code with PKCE (RFC 9700 §2.1.2)',
    applies: ({ grant_types }) => grant_types.includes('implicit'),
  },
  {
    text: 'the password grant shows the password to the client (RFC 9700 §2.4)',
    applies: ({ grant_types }) => grant_types.includes('password'),
  },
  {
    text: 'a redirection URI uses http on a loopback host; any program on that machine may receive the response',
    applies: (metadata) => redirects(metadata).some((uri) => parseUri(uri)?.scheme === 'http'),
  },
  {
    text: 'localhost may resolve to another address; use 127.0.0.1 or [::1] (RFC 8252 §8.3)',
    applies: (metadata) => redirects(metadata).some((uri) => parseUri(uri)?.http?.host === 'localhost'),
  },
  {
    text: 'a redirection URI has a private-use scheme that is no domain name in reverse order; another application may claim it, and only PKCE protects the code (RFC 8252 §7.1)',
    applies: (metadata) =>
      redirects(metadata).some((uri) => isPrivateUse(uri) && !isReversedDomain(parseUri(uri)?.scheme ?? '')),
  },
  {
    text: 'a web client without an authentication method relies on PKCE alone',
    applies: ({ token_endpoint_auth_method, application_type }) =>
      token_endpoint_auth_method === 'none' && application_type === 'web',
  },
  {
    text: 'logo_uri, policy_uri or tos_uri has a host that no redirection URI has (OpenID Connect Dynamic Client Registration 1.0 §9.1)',
    applies: (metadata) => {
      const hosts = new Set(redirects(metadata).map((uri) => parseUri(uri)?.http?.host));
      const shown = [metadata['logo_uri'], metadata['policy_uri'], metadata['tos_uri']];
      return (
        hosts.size > 0 &&
        shown.some((uri) => typeof uri === 'string' && !hosts.has(parseUri(uri)?.http?.host))
      );
    },
  },
  {
    text: 'a logo_uri with http is not shown; the server fetches logos over https (docs/operate/accounts.md)',
    applies: (metadata) =>
      Object.entries(metadata).some(
        ([member, uri]) =>
          /^logo_uri(?:#|$)/.test(member) && typeof uri === 'string' && parseUri(uri)?.scheme === 'http',
      ),
  },
  {
    text: 'browsers keep cookies from the frame of frontchannel_logout_uri, and no other end of a session uses it; register backchannel_logout_uri too (docs/operate/accounts.md)',
    applies: (metadata) =>
      metadata['frontchannel_logout_uri'] !== undefined && metadata['backchannel_logout_uri'] === undefined,
  },
  {
    text: 'without client_name, end-users see the client identifier',
    applies: (metadata) => redirects(metadata).length > 0 && metadata['client_name'] === undefined,
  },
];
