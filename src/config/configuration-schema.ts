import * as z from 'zod/mini';
import { SETTING_PATHS, type SettingPath, settingAt } from './settings.ts';

type JsonObject = Record<string, unknown>;

/** Returns the JSON Schema of chancery.yaml, which editors use to check and complete the file. */
export function configurationSchema(): JsonObject {
  const root: JsonObject = {};
  for (const [section, paths] of Map.groupBy(SETTING_PATHS, (path) => path.split('.')[0] ?? path)) {
    const [first] = paths;
    root[section] = first === section ? leaf(first) : sectionSchema(paths);
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'chancery.yaml',
    ...closedObject(root),
  };
}

function sectionSchema(paths: readonly SettingPath[]): JsonObject {
  return closedObject(
    Object.fromEntries(paths.map((path) => [path.slice(path.indexOf('.') + 1), leaf(path)])),
  );
}

function closedObject(properties: JsonObject): JsonObject {
  return { type: 'object', properties, additionalProperties: false };
}

/** A secret in a file of its own. A relative name begins at the folder of chancery.yaml. */
const SECRET_FILE = { ...closedObject({ file: { type: 'string' } }), required: ['file'] };

function leaf(path: SettingPath): JsonObject {
  const { schema, description, rule, unit, secret, default: value } = settingAt(path);
  const { $schema: _, ...members } = z.toJSONSchema(schema, { io: 'input' }) as JsonObject;
  const words = `${description} It ${rule}${unit === undefined ? '' : ` (${unit})`}.`;
  return {
    ...(secret ? { anyOf: [members, SECRET_FILE] } : members),
    description: words,
    ...(value === undefined ? {} : { default: value }),
    ...(secret ? { writeOnly: true } : {}),
  };
}
