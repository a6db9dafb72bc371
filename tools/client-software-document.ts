import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { FIELD_CLIENTS } from '../src/testing/clients-in-the-field.ts';
import { FIELD_REQUESTS } from '../src/testing/token-requests-in-the-field.ts';
import { type CataloguedClient, CLIENTS } from '../test/clients/catalogue.ts';
import { ROOT } from './child.ts';
import { row, table } from './markdown.ts';

const FOLDER = join(ROOT, 'test/clients');

const INTRODUCTION = `# Client software

Made from \`test/clients\` by \`npm run docs\`; do not edit. Each recipe below is the very file that a test runs against the started program. \`npm test\` runs those of npm,
\`npm run clients\` those of Debian 12 ([ADR 60](../adr/0060-clients-of-other-authors.md)).

The recipes read \`ISSUER\`, \`CLIENT_ID\`, \`CLIENT_SECRET\`, \`BASE_URL\` (the website's own address) and \`PORT\` from the environment. Put your values there, or in their place. Register a website with its redirect URI,
which is \`BASE_URL/callback\` where nothing else is said. \`npm start\` prints the issuer and an initial access token:

\`\`\`sh
curl -s -H 'Authorization: Bearer INITIAL_ACCESS_TOKEN' -H 'Content-Type: application/json' \\
  -d '{"client_name":"Website","redirect_uris":["http://localhost:3000/callback"]}' http://127.0.0.1:8080/clients
\`\`\`

`;

const MORE = `
Clients of the Model Context Protocol are in [examples/mcp-server](../../examples/mcp-server/README.md).

keycloak-js 26 does not work: it sends its token request with the browser's cookies, and the server answers other sites without credentials
([decision 40](../contract/decisions.md#decision-40)). Use oidc-client-ts.
`;

const READ = `## Read but not run

The requests of these clients were read in their source, or in reports of other servers. Tests send the same to the server and read its answers: [registrations](../../src/endpoints/client-registration/clients-in-the-field.test.ts) and
[token requests](../../src/endpoints/token/clients-in-the-field.test.ts). Their tables in \`src/testing\` name the places. [ADR 108](../adr/0108-harmless-differences.md) says which habits are accepted, and which are not.

- Many libraries send HTTP Basic without a password for a client without a secret. Chancery takes that for \`client_id\`, if the client registered \`token_endpoint_auth_method\` \`none\`.
- lua-resty-openidc and requests-oauthlib repeat their configured \`scope\` at each refresh. Configure only values that the client registered: others are \`invalid_scope\` (RFC 6749 §6).
- php-jwt before its pull request 638 of June 2026 does not read a key set with a P-521 key, and Chancery makes one. This concerns OpenID Connect Generic of WordPress, and Nextcloud user_oidc before February 2026. Update them, or give the
  server keys without P-521 (\`keys.jwk-set\`).
- lua-resty-openidc, mod_auth_openidc and ltijs sign assertions for the token endpoint: see [Clients that sign assertions](../operate/clients.md#clients-that-sign-assertions).

`;

/** The language of a code block, by the extension of a recipe. */
const LANGUAGES: Readonly<Record<string, string>> = {
  '.conf': 'nginx',
  '.go': 'go',
  '.html': 'html',
  '.js': 'js',
  '.mjs': 'js',
  '.pl': 'perl',
  '.py': 'python',
  '.rb': 'ruby',
  '.sh': 'sh',
};

/** Returns `docs/reference/client-software.md`: the clients that journeys run, and their recipes. */
export function clientSoftwareMarkdown(): string {
  const { dependencies } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const rows = CLIENTS.map((client) =>
    row(`[${client.name}](#${anchorOf(client)})`, packageOf(client, dependencies), client.shown),
  );
  return [
    INTRODUCTION + table(['client', 'package', 'shown'], rows) + MORE,
    ...CLIENTS.map(sectionOf),
    READ + table(['client', 'request', 'read in'], readRows()),
  ].join('\n');
}

const readRows = (): readonly string[] => [
  ...FIELD_CLIENTS.flatMap(({ name, source }) =>
    source === undefined ? [] : [row(name, 'registration', projectOf(source))],
  ),
  ...FIELD_REQUESTS.map(({ name, source }) => row(name, 'token', projectOf(source))),
];

/** The project alone: its files are not of this repository. */
const projectOf = (source: string): string => source.match(/^[\w.-]+\/[\w.-]+(?=[ ,])/)?.[0] ?? source;

const anchorOf = ({ name }: CataloguedClient): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

function packageOf({ from }: CataloguedClient, versions: Readonly<Record<string, string>>): string {
  if ('debian' in from) return `Debian: ${from.debian} ${from.version}`;
  const version = versions[from.npm];
  if (version === undefined) throw new Error(`test/clients/package.json has no ${from.npm}`);
  return `npm: ${version.startsWith('npm:') ? version.slice('npm:'.length) : `${from.npm} ${version}`}`;
}

function sectionOf({ name, recipes, registration, callback, notes = [] }: CataloguedClient): string {
  const points = [
    ...(callback === undefined ? [] : [`Redirect URI: \`BASE_URL${callback}\`.`]),
    ...(registration === undefined ? [] : [`Registration, beside its redirect URI: ${registration}.`]),
    ...notes,
  ];
  return [
    `## ${name}`,
    '',
    ...(points.length === 0 ? [] : [...points.map((point) => `- ${point}`), '']),
    ...recipes.flatMap(recipeBlock),
  ].join('\n');
}

function recipeBlock(recipe: string): readonly string[] {
  const path = `test/clients/recipes/${recipe}`;
  return [
    `[${path}](../../${path})`,
    '',
    `\`\`\`${LANGUAGES[extname(recipe)] ?? ''}`,
    readFileSync(join(ROOT, path), 'utf8').trimEnd(),
    '```',
    '',
  ];
}
