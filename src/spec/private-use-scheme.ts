/** The setting `registration.private-schemes`. */
export type PrivateSchemes = 'any' | 'reverse-domain';

const BROWSER = 'a browser interprets it itself';
/** `microsoft-edge://client.example/` opens that website, so a page would name a scheme where a host stands. */
const OTHER_BROWSER = 'it opens a website in another browser';
const SYSTEM = 'it opens functions of the operating system';
const CALLS = 'it starts a call or a message';
const CONNECTS = 'it opens a connection to another machine';
const PAYS = 'it starts a payment';
const NAMES = 'it names a resource and leads to no application';

/**
 * Schemes that no client can register, with the reason (decision 47). The list follows what can happen when a browser opens an
 * address that a stranger chose: RFC 8252 §8.4 lets a server refuse what is no scheme of an application.
 */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  [BROWSER]: [
    'about',
    'blob',
    'brave',
    'chrome',
    'chrome-extension',
    'chrome-search',
    'content',
    'data',
    'devtools',
    'edge',
    'feed',
    'file',
    'filesystem',
    'firefox',
    'ftp',
    'jar',
    'javascript',
    'livescript',
    'mhtml',
    'mocha',
    'moz-extension',
    'opera',
    'resource',
    'res',
    'safari-web-extension',
    'vbscript',
    'view-source',
    'vivaldi',
    'ws',
    'wss',
    'wyciwyg',
  ],
  [SYSTEM]: [
    'afp',
    'android-app',
    'app-prefs',
    'app-settings',
    'apt',
    'cifs',
    'hcp',
    'help',
    'intent',
    'its',
    'itms-services',
    'jnlp',
    'macappstore',
    'market',
    'nfs',
    'prefs',
    'search',
    'search-ms',
    'settings',
    'shell',
    'smb',
    'steam',
    'x-help-script',
    'x-man-page',
  ],
  [CALLS]: [
    'callto',
    'facetime',
    'facetime-audio',
    'im',
    'imessage',
    'irc',
    'ircs',
    'mailto',
    'matrix',
    'mms',
    'mmsto',
    'msnim',
    'pres',
    'sip',
    'sips',
    'skype',
    'sms',
    'smsto',
    'tel',
    'telprompt',
    'tg',
    'webcal',
    'whatsapp',
    'wtai',
    'xmpp',
    'zoommtg',
  ],
  [CONNECTS]: [
    'dict',
    'ed2k',
    'ftps',
    'git',
    'gopher',
    'imap',
    'ldap',
    'ldaps',
    'magnet',
    'news',
    'nntp',
    'pop',
    'rdp',
    'rlogin',
    'rtsp',
    'sftp',
    'ssh',
    'svn',
    'telnet',
    'tftp',
    'tn3270',
    'vnc',
  ],
  [PAYS]: ['bitcoin', 'ethereum', 'lightning', 'upi'],
  [NAMES]: ['cid', 'did', 'geo', 'ipfs', 'ipns', 'mid', 'ni', 'openpgp4fpr', 'tag', 'urn'],
};

const REFUSED_PREFIXES: readonly (readonly [prefix: string, reason: string])[] = [
  ['ms-', SYSTEM],
  ['microsoft-edge', OTHER_BROWSER],
  ['googlechrome', OTHER_BROWSER],
  ['x-safari-', OTHER_BROWSER],
  ['com.apple.', SYSTEM],
  ['x-apple', SYSTEM],
  ['itms', SYSTEM],
  ['web+', 'any website can become its handler (HTML Standard, registerProtocolHandler)'],
];

const REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries(REFUSED).flatMap(([reason, schemes]) => schemes.map((scheme) => [scheme, reason] as const)),
);

/** The refused schemes and prefixes with their reasons, for documents and tests. */
export const REFUSED_SCHEMES: readonly (readonly [scheme: string, reason: string])[] = [
  ...REASONS,
  ...REFUSED_PREFIXES.map(([prefix, reason]) => [`${prefix}*`, reason] as const),
];

/** An address with a host, which the application of the scheme reads: `scheme://host/path`. */
const WITH_HOST = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:[/?]|$)/;

/** Says whether a scheme may be a domain name in reverse order (RFC 8252 §7.1): it has a dot between letters or digits. */
export const isReversedDomain = (scheme: string): boolean =>
  /^[a-z0-9+-]*[a-z0-9]\.[a-z0-9.+-]*$/.test(scheme) && !scheme.endsWith('.') && !scheme.includes('..');

/** Says whether an absolute URI has another scheme than http and https. */
export const isPrivateUse = (uri: string): boolean => !/^https?:/i.test(uri);

/**
 * Returns why no client can register a redirection URI of this scheme, as words that follow the URI; undefined if a native
 * client can.
 */
export function privateUseProblem(
  uri: string,
  scheme: string,
  { schemes, implicit }: { readonly schemes: PrivateSchemes; readonly implicit: boolean },
): string | undefined {
  const reason = REASONS.get(scheme) ?? REFUSED_PREFIXES.find(([prefix]) => scheme.startsWith(prefix))?.[1];
  if (reason !== undefined) return `must not have the scheme ${scheme}: ${reason}`;
  if (isReversedDomain(scheme)) return undefined;
  if (schemes === 'reverse-domain')
    return 'must use https or a scheme that is a domain name in reverse order';
  // RFC 8252 §8.2: PKCE does not protect the tokens of the implicit grant, and any application can claim the scheme.
  if (implicit)
    return 'must use https or a scheme that is a domain name in reverse order, because the client has the implicit grant';
  return WITH_HOST.test(uri)
    ? undefined
    : 'must have the form scheme://host/path, or a scheme that is a domain name in reverse order';
}
