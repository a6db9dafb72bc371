import type { Case, Outcome } from './run.ts';

type Row = readonly [Case, Outcome];

const MESSAGE_MAX = 200;

/** Returns a line for each condition, with its results in both dialects. */
export function tableText(rows: readonly Row[]): string {
  const byCondition = Map.groupBy(rows, ([{ condition }]) => condition);
  const sections = [...byCondition.keys()].map(({ section }) => section.length);
  const ids = [...byCondition.keys()].map(({ id }) => id.length);
  const lines = [...byCondition].map(([{ id, section, level, words }, of]) => {
    const result = (dialect: string): string =>
      of.find(([each]) => each.dialect === dialect || each.dialect === undefined)?.[1].result ?? '–';
    return [
      section.padEnd(Math.max(...sections)),
      id.padEnd(Math.max(...ids)),
      level.padEnd(6),
      result('final').padEnd(13),
      result('interface').padEnd(13),
      words,
    ].join('  ');
  });
  const head = [
    'section'.padEnd(Math.max(...sections)),
    'condition'.padEnd(Math.max(...ids)),
    'level '.padEnd(6),
    'final'.padEnd(13),
    'interface'.padEnd(13),
  ];
  return [head.join('  '), ...lines].join('\n');
}

/** Returns why conditions failed or are not supported, and the counts. */
export function verdictText(rows: readonly Row[]): string {
  const told = rows.flatMap(
    ([
      {
        condition: { id, level },
        dialect,
      },
      { result, message = '' },
    ]) =>
      result === 'pass'
        ? []
        : [
            `${result}: ${id}${dialect === undefined ? '' : ` (${dialect})`}, ${level}: ${message.slice(0, MESSAGE_MAX)}`,
          ],
  );
  const counts = [...Map.groupBy(rows, ([, { result }]) => result)].map(
    ([result, of]) => `${of.length} ${result}`,
  );
  return ['', ...told, '', counts.join(', ')].join('\n');
}
