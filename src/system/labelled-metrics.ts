const SAMPLE = /^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{(.*)\})? (.+)$/u;
const COMMENT = /^# (?:HELP|TYPE) ([A-Za-z_:][A-Za-z0-9_:]*) /u;

/** What a family of metrics is told of it, and its samples. */
interface Family {
  readonly comments: Set<string>;
  readonly samples: string[];
}

/**
 * Several texts of the Prometheus exposition format (0.0.4) in one: each sample has a label more that says whose it is,
 * and the samples of one metric stand together, as the format asks.
 */
export function labelled(label: string, texts: ReadonlyMap<string, string>): string {
  const families = new Map<string, Family>();
  for (const [whose, text] of texts) {
    let family: Family | undefined;
    for (const line of text.split('\n')) {
      const name = COMMENT.exec(line)?.[1];
      if (name !== undefined) {
        family = families.get(name) ?? { comments: new Set(), samples: [] };
        families.set(name, family);
        family.comments.add(line);
        continue;
      }
      const sample = SAMPLE.exec(line);
      if (sample === null || family === undefined) continue;
      const [, metric = '', labels = '', value = ''] = sample;
      const all = [`${label}="${whose}"`, ...(labels === '' ? [] : [labels])].join(',');
      family.samples.push(`${metric}{${all}} ${value}`);
    }
  }
  return [...families.values()]
    .flatMap(({ comments, samples }) => [...comments, ...samples])
    .concat('')
    .join('\n');
}
