import { withSetSigner } from '../../clients/client-keys/key-source.ts';
import { admitMetadata } from '../../clients/registration/admit-metadata.ts';
import { missingPrivileges, offeredTo } from '../../clients/registration/privileges.ts';
import type { ValidatedMetadata } from '../../clients/registration/validate-metadata.ts';
import type { RegistryNeeds } from '../../clients/registry-needs.ts';
import { isAbsent } from '../../spec/client-metadata.ts';
import { OAuthError } from '../../spec/errors.ts';
import { type JsonObject, parseJsonObject } from '../../spec/json.ts';
import type { RegistrationPrivileges } from '../../spec/registration-privileges.ts';
import { RELYING_PARTY } from '../entity-statement.ts';
import { isArray } from '../json-value.ts';
import type { EntityTypeMetadata } from '../metadata-policy/apply-policy.ts';
import type { RegistrationReason } from '../reason.ts';
import { decidedBySuperiors } from '../trust-chain/resolve-metadata.ts';
import type { TrustChain } from '../trust-chain/resolve-trust.ts';
import { withInformation } from './informational-metadata.ts';
import { noteNotAdmitted } from './registration-refusal.ts';

/** Members of resolved metadata that the resolution does not verify. */
const NOT_TAKEN_OVER = new Set(['software_statement']);

/** An entity that asks to be registered: its identifier, what federated clients may have, and the IP address of its request, if any. */
export interface FederatedRegistrant {
  readonly entity_id: string;
  readonly chain: Pick<TrustChain, 'metadata' | 'statements'>;
  readonly privileges: RegistrationPrivileges;
  readonly remoteAddress: string | undefined;
}

/**
 * Validates resolved metadata like the metadata of every other client. A trust chain proves the identity of an entity and
 * grants no privilege, so a superior's policy cannot create a client that this server would not register otherwise (§6.1.4.2).
 * @throws OAuthError invalid_client_metadata, invalid_redirect_uri, each with its reason code; temporarily_unavailable
 */
export async function admitRelyingParty(
  registry: RegistryNeeds,
  { entity_id, chain, privileges, remoteAddress }: FederatedRegistrant,
): Promise<ValidatedMetadata> {
  const grantTypes = offeredTo(registry, privileges, false);
  const metadataLimits = { ...registry.metadataLimits, grantTypes, federated: true } as const;
  const needs = { ...registry, metadataLimits };
  try {
    const request = metadataRequest(needs, withInformation(chain.metadata, needs.metadataLimits));
    const missing = missingPrivileges(request, privileges, grantTypes);
    if (missing.length > 0)
      throw refused(
        'metadata_not_allowed',
        `the metadata requires privileges that federated clients do not have: ${missing.join(' ')}`,
      );
    const sender = { privileges, presentedToken: true, remoteAddress };
    const admitted = await admitMetadata(needs, request, sender);
    refuseDefaults(chain, admitted.metadata);
    const [configuration] = chain.statements;
    const metadata = withSetSigner(admitted.metadata, { entity_id, keys: configuration?.keys ?? [] });
    return { ...admitted, metadata };
  } catch (failure) {
    if (!(failure instanceof OAuthError) || failure.code === 'temporarily_unavailable') throw failure;
    const told = failure.error_description.startsWith('metadata_') ? failure : notValid(failure);
    noteNotAdmitted(needs, entity_id, told);
    throw told;
  }
}

/**
 * Refuses a default where the superiors leave no value (§6.1.3.1.5: `subset_of` may leave an empty array). Elsewhere an empty member
 * counts as absent (decision 42), but a default would be a value that they do not allow.
 */
function refuseDefaults({ metadata, statements }: FederatedRegistrant['chain'], admitted: object): void {
  const resolved = metadata.get(RELYING_PARTY);
  const registered = new Map(Object.entries(admitted));
  for (const name of decidedBySuperiors(statements, RELYING_PARTY)) {
    const left = resolved?.get(name);
    const value: unknown = registered.get(name);
    if (left === undefined || !isArray(left) || left.length > 0) continue;
    if (Array.isArray(value) && value.length > 0)
      throw refused(
        'metadata_not_allowed',
        `the superiors leave no value of ${name}, and this server would register ${value.join(' ')}`,
      );
  }
}

function notValid({ code, error_description, detail }: OAuthError): OAuthError {
  return new OAuthError(code === 'invalid_redirect_uri' ? code : 'invalid_client_metadata', {
    error_description: `metadata_not_valid: ${error_description}`,
    ...(detail === undefined ? {} : { detail }),
  });
}

function refused(reason: RegistrationReason, words: string): OAuthError {
  return new OAuthError('invalid_client_metadata', { error_description: `${reason}: ${words}` });
}

/** Parses the metadata with the same limits as a request body, which reject values that a database would change. */
function metadataRequest({ json }: RegistryNeeds, resolved: EntityTypeMetadata): JsonObject {
  const taken = [...resolved].filter(([name]) => !NOT_TAKEN_OVER.has(name));
  const text = JSON.stringify(Object.fromEntries(withKeyMethod(new Map(taken))));
  return parseJsonObject(Buffer.from(text), json);
}

/** Decision 35: a client with keys authenticates with `private_key_jwt` by default, so it gets a secret only on request. */
function withKeyMethod(metadata: EntityTypeMetadata): EntityTypeMetadata {
  if (!isAbsent(metadata.get('token_endpoint_auth_method'))) return metadata;
  if (!['jwks', 'jwks_uri', 'signed_jwks_uri'].some((member) => metadata.has(member))) return metadata;
  return new Map([...metadata, ['token_endpoint_auth_method', 'private_key_jwt'] as const]);
}
