/** A command of the suite's browser: `text`, `click` or `wait`, with what it needs. */
export type BrowserCommand = readonly (string | number)[];

export interface BrowserTask {
  readonly task: string;
  /** A pattern of the address, with `*` for any text. */
  readonly match: string;
  /** Left out where the address does not match. */
  readonly optional?: boolean;
  readonly commands?: readonly BrowserCommand[];
}

/** Tasks for all pages that follow an address. */
export interface BrowserRule {
  readonly match: string;
  readonly tasks: readonly BrowserTask[];
}

export interface SuiteOptions {
  readonly issuer: string;
  /** The last part of the suite's addresses for this test plan: `https://SUITE/test/a/ALIAS`. */
  readonly alias: string;
  readonly username: string;
  readonly password: string;
  /** The registered clients, by the name of the suite's setting. Empty for plans with dynamic clients. */
  readonly clients: Readonly<Record<string, object>>;
  /** Where registration is not open. */
  readonly initialAccessToken?: string;
}

const SECONDS = 10;
const HEADING: BrowserCommand = ['wait', 'css', 'h1', SECONDS, '.+', 'update-image-placeholder'];
const HEADING_IF_ASKED: BrowserCommand = [...HEADING.slice(0, -1), 'update-image-placeholder-optional'];
const COMPLETE: BrowserTask = {
  task: 'The suite has the answer',
  match: '*/test/*/callback*',
  commands: [['wait', 'id', 'submission_complete', SECONDS]],
};

/** Modules that end on an error page of the authorisation endpoint, or may end there. */
const ERROR_PAGES = [
  'oidcc-ensure-registered-redirect-uri',
  'oidcc-ensure-redirect-uri-in-authorization-request',
  'oidcc-redirect-uri-query-added',
  'oidcc-redirect-uri-query-mismatch',
];
/** Modules whose screenshot is the first sign-in page. */
const FIRST_SIGN_IN = [
  'oidcc-registration-logo-uri',
  'oidcc-registration-policy-uri',
  'oidcc-registration-tos-uri',
];
/** Modules whose screenshot is the second sign-in page. */
const SECOND_SIGN_IN = ['oidcc-prompt-login', 'oidcc-max-age-1'];
/** Modules whose screenshot is the page that asks, since the hint or the address does not hold. */
const LOGOUT_ASKED = [
  'bad-post-logout-redirect-uri',
  'query-added-to-post-logout-redirect-uri',
  'modified-id-token-hint',
  'bad-id-token-hint',
  'no-id-token-hint',
];
/** Modules whose screenshot is the page after a logout. */
const LOGGED_OUT = ['no-params', 'no-post-logout-redirect-uri', 'only-state'];

/** Returns the configuration of a test plan, as the suite's form and its API take it. */
export function suiteConfiguration(options: SuiteOptions): Readonly<Record<string, unknown>> {
  const { issuer, alias, clients, initialAccessToken } = options;
  const token = initialAccessToken === undefined ? {} : { initial_access_token: initialAccessToken };
  return {
    alias,
    description: 'Chancery',
    publish: 'no',
    server: {
      discoveryUrl: `${issuer}/.well-known/openid-configuration`,
      login_hint: options.username,
      ui_locales: 'fr',
    },
    client: { client_name: 'conformance suite', ...token, ...clients['client'] },
    client2: { client_name: 'conformance suite, second client', ...token, ...clients['client2'] },
    ...(clients['client_secret_post'] === undefined
      ? {}
      : { client_secret_post: clients['client_secret_post'] }),
    browser: [authorization(options, []), logout(issuer, ['click'])],
    override: overrides(options),
  };
}

/** @param screenshot commands that come first on a sign-in page */
function authorization(
  { issuer, username, password }: SuiteOptions,
  screenshot: readonly BrowserCommand[],
): BrowserRule {
  const pages = `${issuer}/interaction*`;
  return {
    match: `${issuer}/authorize*`,
    tasks: [
      {
        task: 'Sign in',
        match: pages,
        optional: true,
        commands: [
          ...screenshot,
          ['text', 'id', 'username', username, 'optional'],
          ['text', 'id', 'password', password, 'optional'],
          ['click', 'css', "button[value='sign-in']", 'optional'],
        ],
      },
      {
        task: 'Consent',
        match: pages,
        optional: true,
        commands: [['click', 'css', "button[value='allow']", 'optional']],
      },
      COMPLETE,
    ],
  };
}

/** `click` confirms; `asked` and `after` take a screenshot of the page that asks, or of the page afterwards. */
function logout(issuer: string, what: readonly ('click' | 'asked' | 'after')[]): BrowserRule {
  const pages = `${issuer}/logout*`;
  const click: BrowserCommand = ['click', 'css', "button[value='logout']"];
  return {
    match: pages,
    tasks: [
      ...(what.includes('asked')
        ? [{ task: 'Look at the question', match: pages, commands: [HEADING] }]
        : []),
      ...(what.includes('click') ? [{ task: 'Confirm', match: pages, commands: [click] }] : []),
      ...(what.includes('after')
        ? [{ task: 'Look at the page afterwards', match: pages, commands: [HEADING] }]
        : []),
      ...(what.length === 1 && what[0] === 'click'
        ? [
            {
              task: 'Back at the suite',
              match: '*',
              commands: [['wait', 'contains', '/post_logout_redirect', SECONDS]],
            },
          ]
        : []),
    ],
  };
}

function overrides(options: SuiteOptions): Readonly<Record<string, { browser: readonly BrowserRule[] }>> {
  const { issuer } = options;
  const named = (
    names: readonly string[],
    browser: readonly BrowserRule[],
  ): [string, { browser: readonly BrowserRule[] }][] => names.map((name) => [name, { browser }]);
  const errorPage = {
    match: `${issuer}/authorize*`,
    tasks: [{ task: 'Look at the error page', match: `${issuer}/authorize*`, commands: [HEADING] }],
  };
  const signInPage = {
    match: `${issuer}/authorize*`,
    tasks: [{ task: 'Look at the sign-in page', match: `${issuer}/interaction*`, commands: [HEADING] }],
  };
  const rp = (names: readonly string[]): readonly string[] =>
    names.map((name) => `oidcc-rp-initiated-logout-${name}`);
  return Object.fromEntries([
    ...named(ERROR_PAGES, [errorPage]),
    ...named(FIRST_SIGN_IN, [signInPage]),
    ...named(SECOND_SIGN_IN, [authorization(options, [HEADING_IF_ASKED])]),
    ...named(rp(LOGOUT_ASKED), [authorization(options, []), logout(issuer, ['asked'])]),
    ...named(rp(LOGGED_OUT), [authorization(options, []), logout(issuer, ['click', 'after'])]),
  ]);
}

/** The redirect URIs and logout addresses of a plan's clients, as the suite's instructions ask for static ones. */
export function staticMetadata(suite: string, alias: string): Readonly<Record<string, unknown>> {
  const base = `${suite}/test/a/${alias}`;
  return {
    redirect_uris: [`${base}/callback`, `${base}/callback?dummy1=lorem&dummy2=ipsum`],
    post_logout_redirect_uris: [`${base}/post_logout_redirect`],
    backchannel_logout_uri: `${base}/backchannel_logout`,
    frontchannel_logout_uri: `${base}/frontchannel_logout`,
    grant_types: ['authorization_code', 'implicit', 'refresh_token'],
    response_types: [
      'code',
      'id_token',
      'id_token token',
      'code id_token',
      'code token',
      'code id_token token',
    ],
    scope: 'openid profile email address phone offline_access',
  };
}
