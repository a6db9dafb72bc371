import { REGISTERED_BY_DOCUMENT } from '../clients/metadata-document/document-state.ts';
import { metadataOf } from '../clients/registered-client.ts';
import { mayBeImpersonated } from '../grants/authorization/authorization-interaction.ts';
import type { StoredClient } from '../ports/client-store.ts';
import type { PageClient } from '../ports/pages.ts';
import { hostOfClientId } from '../spec/client-id-url.ts';
import type { ClientMetadata } from '../spec/client-metadata.ts';
import { isPrivateUse } from '../spec/private-use-scheme.ts';

/**
 * Describes a client for pages.
 * @param redirect_uri where the person is sent back to
 * @param languages tags in order of preference, in lower case
 */
export function pageClient(
  client: StoredClient,
  redirect_uri: string,
  languages: readonly string[],
): PageClient {
  const metadata = metadataOf(client);
  const { host, protocol } = new URL(redirect_uri);
  const [policy_uri, tos_uri] = [
    saidIn(metadata, 'policy_uri', languages),
    saidIn(metadata, 'tos_uri', languages),
  ];
  const name = saidIn(metadata, 'client_name', languages) ?? client.client_id;
  const organization = isAnybodys(client) ? undefined : saidIn(metadata, 'organization_name', languages);
  return {
    name,
    // An application's own scheme names no host: any application may claim it (RFC 8252 §8.6), and what stands where a host
    // stands, as in `evil://bank.example/cb`, is a text that the registrant chose.
    host: isPrivateUse(redirect_uri) ? protocol : host,
    ...(organization === undefined || organization === name ? {} : { organization }),
    vouched: !isAnybodys(client),
    // A document proves who controls this host (draft-ietf-oauth-client-id-metadata-document-02 §8.4). International names are in punycode.
    ...(client.document === null ? {} : { id_host: hostOfClientId(client.client_id) }),
    ...(isAnybodys(client) && mayBeImpersonated(client, redirect_uri) ? { impersonable: true } : {}),
    ...(policy_uri === undefined ? {} : { policy_uri }),
    ...(tos_uri === undefined ? {} : { tos_uri }),
  };
}

/** Says whether a client registered itself without a token or by its document, so that the operator does not vouch for it. */
export function isAnybodys({ registered_via }: StoredClient): boolean {
  return registered_via === 'open' || registered_via === REGISTERED_BY_DOCUMENT;
}

/** Returns a member in the first available language, otherwise without a language (OpenID Connect Dynamic Client Registration 1.0 §2.1). */
export function saidIn(
  metadata: ClientMetadata,
  name: string,
  languages: readonly string[],
): string | undefined {
  const tagged = languages.map((language) =>
    Object.keys(metadata).find((member) => member.toLowerCase() === `${name}#${language}`),
  );
  const member = tagged.find((found) => found !== undefined) ?? name;
  const value = metadata[member];
  return typeof value === 'string' ? value : undefined;
}
