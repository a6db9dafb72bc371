import { closed, type Schema, said, TEXT } from '../json-schema.ts';
import { TIME } from './conventions.ts';

const TEXT_OR_NULL: Schema = { anyOf: [TEXT, { type: 'null' }] };

/** Audit events as other parties see them. docs/reference/audit-events.md explains the members. */
export const ADMIN_EVENT_SCHEMAS = {
  AuditEvent: said(
    'An event of the audit.',
    closed({
      id: said('Identifies the event. It is also its cursor among the events of the tenant.', TEXT),
      at: TIME,
      action: said('One of the actions of docs/reference/audit-events.md.', TEXT),
      outcome: { enum: ['done', 'refused'] },
      actor: TEXT,
      client_id: TEXT_OR_NULL,
      sub: TEXT_OR_NULL,
      address: TEXT_OR_NULL,
      user_agent: TEXT_OR_NULL,
      request_id: TEXT,
      detail: TEXT_OR_NULL,
      reason: said('The `Audit-Reason` of the request.', TEXT_OR_NULL),
    }),
  ),
} as const satisfies Readonly<Record<string, Schema>>;
