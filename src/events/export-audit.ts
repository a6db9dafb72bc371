import type { AuditLog, RecordedAuditEvent } from '../ports/audit-log.ts';
import { type SearchRequest, selectedEvents } from './audit-search.ts';
import type { EventItem } from './event-item.ts';

/** Writes the lines of an export. */
export interface ExportFormat {
  readonly mediaType: string;
  readonly head: string;
  readonly line: (item: EventItem) => string;
}

/** The members, in the order of the columns. */
const COLUMNS: readonly (keyof EventItem)[] = [
  'id',
  'at',
  'action',
  'outcome',
  'actor',
  'client_id',
  'sub',
  'address',
  'user_agent',
  'request_id',
  'detail',
  'reason',
];

export const EXPORT_FORMATS = {
  jsonl: {
    mediaType: 'application/x-ndjson',
    head: '',
    line: (item) => `${JSON.stringify(item)}\n`,
  },
  // RFC 4180 §2: lines end with CRLF, and quotation marks are doubled.
  csv: {
    mediaType: 'text/csv; charset=utf-8; header=present',
    head: `${COLUMNS.join(',')}\r\n`,
    line: (item) => `${COLUMNS.map((name) => csvCell(item[name])).join(',')}\r\n`,
  },
} as const satisfies Readonly<Record<string, ExportFormat>>;

export type ExportFormatName = keyof typeof EXPORT_FORMATS;

/** Spreadsheets take a cell that begins so for a formula: an apostrophe makes it a text. */
const FORMULA = /^[=+\-@\t\r]/u;

function csvCell(value: string | null): string {
  if (value === null) return '';
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n']/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export interface ExportNeeds {
  readonly audit: Pick<AuditLog, 'search'>;
  readonly render: (event: RecordedAuditEvent) => EventItem;
  readonly format: ExportFormat;
  /** Throws when the export must not go on: its reader finds it incomplete. */
  readonly check: () => Promise<void>;
}

/** Yields all selected events as text, page by page, as fast as the reader takes them. */
export async function* exportAudit(
  { audit, render, format, check }: ExportNeeds,
  request: Pick<SearchRequest, 'selection' | 'order'>,
): AsyncGenerator<string> {
  yield format.head;
  for await (const events of selectedEvents(audit, request)) {
    await check();
    yield events.map((event) => format.line(render(event))).join('');
  }
}
