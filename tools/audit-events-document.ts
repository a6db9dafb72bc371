import { AUDIT_EVENTS, AUDIT_MEMBERS } from '../src/spec/audit-events.ts';
import { row, table } from './markdown.ts';

const INTRODUCTION = `# Audit events

Made from \`src/spec/audit-events.ts\` by \`npm run docs\`; do not edit.

Each event is one line of the log with the members below. Most lines have \`"msg":"audit"\`; a refused sign-in has \`sign-in refused\`. Events marked \`row\` are also rows of
the table \`audit_event\`, stored in the transaction of the act. Commands write the row only.

\`audit.lifetime\` says how long rows stay. How long lines stay is up to the collector of the log. Members marked personal are personal data in
many countries: the account, and the address and the software of the person who used it. No event holds a password, a secret, a token or a code.
`;

/** `docs/reference/audit-events.md`: each action, where it is kept, and what its members mean. */
export function auditEventsMarkdown(): string {
  const members = Object.entries(AUDIT_MEMBERS).map(([name, { words, personal }]) =>
    row(`\`${name}\``, words, personal ? 'yes' : ''),
  );
  const actions = Object.entries(AUDIT_EVENTS).map(([name, event]) =>
    row(`\`${name}\``, event.words, event.place, 'detail' in event ? event.detail : ''),
  );
  return [
    INTRODUCTION,
    `## Members\n\n${table(['member', 'meaning', 'personal'], members)}`,
    `## Actions\n\n${table(['action', 'meaning', 'kept as', '`detail`'], actions)}`,
  ].join('\n');
}
