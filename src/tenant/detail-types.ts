import type { ConfiguredDetailsType } from '../config/authorization-details-settings.ts';
import type { Settings } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { DetailType, DetailTypes } from '../grants/authorization-details/detail-types.ts';
import { type CompileSchema, SchemaUnusable } from '../ports/schema-compiler.ts';
import type { DetailsSchema } from '../spec/details-schema.ts';

/** Opens the types of authorisation details. @throws SettingsError at start for a pattern that cannot be used */
export function openDetailTypes(
  settings: Settings,
  { compileSchema }: { readonly compileSchema: CompileSchema },
): DetailTypes {
  const types = settings['authorization-details.types'].map((configured, index) =>
    openType(configured, index, compileSchema),
  );
  return {
    byName: new Map(types.map((each) => [each.type, each])),
    length: settings['authorization-details.length'],
    json: { depth: settings['limits.json-depth'], members: settings['limits.json-members'] },
  };
}

function openType(
  { type, schema, narrowable = [], consent }: ConfiguredDetailsType,
  index: number,
  compileSchema: CompileSchema,
): DetailType {
  try {
    return { type, narrowable, consent, mistakeIn: compileSchema(closedSchema(type, schema)) };
  } catch (failure) {
    if (!(failure instanceof SchemaUnusable)) throw failure;
    const path = `authorization-details.types[${index}].schema`;
    throw new SettingsError([{ path, source: 'at start', rule: failure.message }]);
  }
}

/**
 * Returns the schema of a type with what RFC 9396 requires of each: `type` is its name (§2), and a member that the schema does not name
 * is refused (§5: "is an object of known type but containing unknown fields").
 */
function closedSchema(type: string, schema: DetailsSchema): DetailsSchema {
  const properties = schema['properties'] as DetailsSchema | undefined;
  const closed = 'additionalProperties' in schema || 'unevaluatedProperties' in schema;
  return {
    ...schema,
    properties: { ...properties, type: { const: type } },
    ...(closed ? {} : { unevaluatedProperties: false }),
  };
}
