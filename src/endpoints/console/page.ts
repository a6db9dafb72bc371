import type { ConsoleEntry } from '../../ports/console-files.ts';

/** The facts that the page tells its script. */
export interface ConsoleFacts {
  /** Where the operator signs in. */
  readonly issuer: string;
  /** The address that the sign-in returns to. */
  readonly url: string;
  readonly client_id: string;
  readonly version: string;
}

/** Returns the page of the console. All addresses in it are relative, so that any path prefix works. */
export function consolePage(facts: ConsoleFacts, entry: ConsoleEntry): string {
  const messages = Object.fromEntries(
    Object.entries(entry.messages).map(([language, name]) => [language, `files/${name}`]),
  );
  const given = JSON.stringify({ ...facts, messages });
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="robots" content="noindex">',
    `<meta name="chancery" content="${escaped(given)}">`,
    '<title>Chancery</title>',
    `<link rel="icon" href="files/${entry.icon}" type="image/svg+xml">`,
    ...entry.styles.map((name) => `<link rel="stylesheet" href="files/${name}">`),
    ...entry.modules.map((name) => `<link rel="modulepreload" href="files/${name}">`),
    `<script type="module" src="files/${entry.script}"></script>`,
    '</head>',
    '<body>',
    '<noscript>The console needs JavaScript. The commands of chancery do the same without it.</noscript>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
