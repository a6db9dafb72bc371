import { REFUSAL_REASONS } from '../src/spec/refusal-reasons.ts';
import type { ReasonWords } from '../src/spec/refusals/reason.ts';
import { row, table } from './markdown.ts';

const INTRODUCTION = `# Why was my client refused?

Made from \`src/spec/refusals\` by \`npm run docs\`; do not edit.

Each refusal is one line \`refused\` in the log. It has the endpoint, the status, the time, and:

| member | content |
| --- | --- |
| \`request_id\` | the identifier that an error page shows |
| \`address\` | the network address of the caller; behind a proxy it needs \`listen.trusted-proxies\` |
| \`client\` | the client, as the request claims or as the server knows it; absent if the request names none |
| \`error\` | the code that the client received |
| \`reason\` | the reason, one of the tables below |
| \`detail\` | the reason in words |
| \`tried\`, \`registered\` | the authentication method of the request, and that of the registration |
| \`value\` | names and values that failed; for times also \`now\`, all in seconds since 1970 |

To find the line, search for the client or for the \`request_id\`: \`grep '"client":"CLIENT_ID"'\`. The log never has a secret, a token, a password or a
\`state\`. Values are shortened, and all but printable ASCII is escaped. A client learns less than the log says, because the reason would help an
attacker.

[configuration.md](configuration.md) describes the settings. The metric \`chancery_refusals_total\` counts refusals by endpoint and error code.
`;

/** \`docs/reference/refusals.md\`: what each reason in the log means, what to change at the client, and which settings concern it. */
export function refusalsMarkdown(): string {
  const sections = Object.entries(REFUSAL_REASONS).map(([title, reasons]) => {
    const rows = Object.entries<ReasonWords>(reasons).map(([name, { means, change, settings }]) =>
      row(`<a id="${name}"></a>\`${name}\``, means, change, settings.map(setting).join(', ')),
    );
    return `## ${title}\n\n${table(['reason', 'what it means', 'what to change at the client', 'settings'], rows)}`;
  });
  return [INTRODUCTION, ...sections].join('\n');
}

const setting = (path: string): string => `\`${path}\``;
