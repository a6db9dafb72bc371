import { CLIENT_METADATA, isAbsent } from '../../spec/client-metadata.ts';
import type { MetadataLimits } from '../../spec/client-metadata-checks.ts';
import type { JsonValue } from '../../spec/json.ts';
import { FEDERATION_ENTITY, RELYING_PARTY } from '../entity-statement.ts';
import type { EntityMetadata, EntityTypeMetadata } from '../metadata-policy/apply-policy.ts';

/** Informational parameters, which every entity type may have (§5.2.2). */
const INFORMATIONAL = [
  'organization_name',
  'organization_uri',
  'display_name',
  'description',
  'keywords',
  'contacts',
  'logo_uri',
  'policy_uri',
  'information_uri',
] as const;

/** Client metadata that pages show, and the parameters that stand in for it, the best first. */
const STAND_INS: readonly (readonly [member: string, sources: readonly string[]])[] = [
  ['client_name', ['display_name', 'organization_name']],
  ['client_uri', ['information_uri', 'organization_uri']],
];

/**
 * Returns the metadata of a relying party. Members that it lacks come from `federation_entity` of the same
 * entity, after all policies. A value of the wrong form is left out: it only informs.
 */
export function withInformation(resolved: EntityMetadata, limits: MetadataLimits): EntityTypeMetadata {
  const own = resolved.get(RELYING_PARTY) ?? new Map<string, JsonValue>();
  const entity = resolved.get(FEDERATION_ENTITY) ?? new Map<string, JsonValue>();
  const filled = new Map(own);
  const fill = (member: string, from: EntityTypeMetadata, source: string): void => {
    if (names(own, member).length > 0) return;
    for (const name of names(from, source)) {
      const target = name.replace(source, member);
      const value = from.get(name);
      if (value !== undefined && !filled.has(target) && isFit(member, value, limits))
        filled.set(target, value);
    }
  };
  for (const member of INFORMATIONAL) fill(member, entity, member);
  const told = new Map(filled);
  for (const [member, sources] of STAND_INS) for (const source of sources) fill(member, told, source);
  return filled;
}

/** The names under which a parameter is given: its own and those with a language tag (§5.2.2). */
function names(parameters: EntityTypeMetadata, name: string): readonly string[] {
  return [...parameters.keys()].filter(
    (given) => (given === name || given.startsWith(`${name}#`)) && !isAbsent(parameters.get(given)),
  );
}

function isFit(member: string, value: JsonValue, limits: MetadataLimits): boolean {
  const checked = CLIENT_METADATA[member]?.check(value, limits);
  return checked !== undefined && 'value' in checked;
}
