import { METRICS, type MetricRow } from '../src/spec/metrics.ts';
import { row, table } from './markdown.ts';

const INTRODUCTION = `# Metrics

Made from \`src/spec/metrics.ts\` by \`npm run docs\`; do not edit.

\`/metrics\` on the management listener has these metrics, and those of Node and the process (\`nodejs_*\`, \`process_*\`). With workers every sample has the label
\`worker\`: add them up with \`sum without (worker)\`. Label values come from closed lists. No label names a client, an account, a tenant or an address.

Alert rules and a dashboard are in \`deploy/prometheus\` and \`deploy/grafana\`.
`;

/** `docs/reference/metrics.md`: each metric with its kind, its labels and its meaning. */
export function metricsMarkdown(): string {
  const rows = Object.entries<MetricRow>(METRICS).map(([name, { kind, labels, help }]) =>
    row(`\`${name}\``, kind, labels.map((label) => `\`${label}\``).join(', '), help),
  );
  return [INTRODUCTION, table(['metric', 'kind', 'labels', 'meaning'], rows)].join('\n');
}
