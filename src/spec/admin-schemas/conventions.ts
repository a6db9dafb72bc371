import { closed, type Schema, said, TEXT } from '../json-schema.ts';

/** RFC 3339, UTC, with seconds. */
export const TIME: Schema = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$',
};
/** Null for never. */
export const TIME_OR_NEVER: Schema = { anyOf: [TIME, { type: 'null' }] };

const ANYTHING: Schema = {};

/** Schemas that every operation of the administration API has. */
export const ADMIN_SCHEMAS = {
  Problem: said(
    'Problem details (RFC 9457).',
    closed(
      {
        type: said('`urn:chancery:problem:` and a code of the reference.', TEXT),
        title: TEXT,
        status: { type: 'integer', minimum: 400, maximum: 599 },
        detail: said('Words for a person. Never a cause, a path or a secret.', TEXT),
        instance: said('`urn:chancery:request:` and the identifier of the request in the log.', TEXT),
        errors: {
          type: 'array',
          items: closed({
            pointer: said('A JSON pointer into the body, or the name of a parameter or header.', TEXT),
            detail: TEXT,
          }),
        },
      },
      ['type', 'title', 'status', 'detail', 'instance'],
    ),
  ),
  AdminPreview: said(
    'A dry run: the changes that would happen. Nothing is stored.',
    closed({
      dry_run: { const: true },
      changes: {
        type: 'array',
        items: closed(
          {
            path: said('A JSON pointer into the item.', TEXT),
            before: said('Absent for a member that was added.', ANYTHING),
            after: said('Absent for a member that was removed.', ANYTHING),
          },
          ['path'],
        ),
      },
      warnings: { type: 'array', items: TEXT },
      result: said('The item after the change; null if it would be deleted.', ANYTHING),
    }),
  ),
} as const satisfies Readonly<Record<string, Schema>>;
