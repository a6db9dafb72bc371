interface Lack {
  readonly words: string;
  readonly remedy: string;
}

/** Returns the lines of a report on one client: of a registry or of the administration API. */
export function fapiReportLines(report: {
  readonly client_id?: unknown;
  readonly client_name?: unknown;
  readonly lacks?: unknown;
}): readonly string[] {
  const { client_id, client_name } = report;
  const lacks = (report.lacks ?? []) as readonly Lack[];
  const name = typeof client_name === 'string' ? ` (${client_name})` : '';
  const count = lacks.length === 1 ? '1 thing' : `${lacks.length} things`;
  const verdict = lacks.length === 0 ? 'fits' : `lacks ${count}`;
  return [
    `${String(client_id)}${name}: ${verdict}`,
    ...lacks.flatMap(({ words, remedy }) => [`  - ${words}`, `    remedy: ${remedy}`]),
  ];
}
