import type { SoundStatement } from '../entity-statement.ts';
import type { EntityMetadata } from '../metadata-policy/apply-policy.ts';
import { isArray } from '../metadata-policy/json-set.ts';
import { isObject } from '../statement-checks/statement-check.ts';

/**
 * §6.2.3: "all Entity Types that are not listed … MUST be removed", after the superior's metadata and before policies.
 * "The `federation_entity` Entity Type MUST NOT be removed."
 */
export function withAllowedEntityTypes(metadata: EntityMetadata, statement: SoundStatement): EntityMetadata {
  const { constraints } = statement.jwt.claims;
  const allowed = isObject(constraints) ? constraints['allowed_entity_types'] : undefined;
  if (!isArray(allowed)) return metadata;
  return new Map([...metadata].filter(([type]) => type === 'federation_entity' || allowed.includes(type)));
}
