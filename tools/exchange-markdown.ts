import { STATUS_CODES } from 'node:http';
import type { EndpointRequest } from '../src/endpoints/contract.ts';
import type { Answer } from '../src/testing/exchange.ts';
import type { ShownExchange } from '../src/testing/exchange-story.ts';
import { ISSUER } from '../src/testing/tenant.ts';

const HOST = new URL(ISSUER).host;
/** The management listener. */
const MANAGEMENT = '127.0.0.1:9090';
const ISSUER_PATH = new URL(ISSUER).pathname;

/** Lines of a body that the reference shows. */
const LINES_MAX = 80;

/** Values that differ from run to run and stand in no JSON. */
const RANDOM: readonly (readonly [find: RegExp, name: string])[] = [
  [/(\/(?:interaction|interaction-api|logout)\/)[A-Za-z0-9]{20,}/gu, '$1HANDLE'],
  [/(\/logos\/)[A-Za-z0-9_.-]+/gu, '$1LOGO'],
  [/(\/assets\/[a-z]+-)[0-9a-f]{8,}/gu, '$1DIGEST'],
  [/\b(code|outcome|form_token|password|interaction|cursor)=[^&\s>"]+/gu, '$1=…'],
  [/(__Host-|__Secure-)?(chancery-[a-z]+(?:-[A-Za-z0-9_-]+)?)=[^;\s]+/gu, '$1$2=…'],
  [/("next": )"[^"]+"/gu, '$1"…"'],
  [/^(ETag|If-None-Match): .*$/gmu, '$1: "TAG"'],
];

/** Renders a request and its answer. @param steady replaces secrets and random values */
export function exchangeMarkdown(
  { title, contract, request, answer }: ShownExchange,
  steady: (text: string) => string,
): string {
  const path = contract.path.replaceAll(/\{([a-z_]+)\}/gu, (_, name: string) => request.segments[name] ?? '');
  const isManaged = contract.scope !== undefined;
  const target = `${isManaged ? '' : ISSUER_PATH}${path}${request.query === '' ? '' : `?${request.query}`}`;
  return [
    `**${title}**`,
    '',
    '```http',
    clean(requestText(contract.method, target, isManaged ? MANAGEMENT : HOST, request), steady),
    '```',
    '',
    '```http',
    clean(answerText(answer), steady),
    '```',
    '',
  ].join('\n');
}

function clean(text: string, steady: (text: string) => string): string {
  let shown = steady(text);
  for (const [find, name] of RANDOM) shown = shown.replaceAll(find, name);
  return shown.trimEnd();
}

function requestText(
  method: string,
  target: string,
  host: string,
  { headers, body }: EndpointRequest,
): string {
  const lines = [`${method} ${target} HTTP/1.1`, `Host: ${host}`];
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) lines.push(`${headerName(name)}: ${credentials(name, value)}`);
  const text = Buffer.from(body).toString('utf8');
  return [...lines, '', bodyText(headers['content-type'] ?? '', text)].join('\n');
}

/** Shows the two parts of Basic credentials, so that their values are found. */
function credentials(name: string, value: string): string {
  const [, encoded] = /^Basic (.+)$/u.exec(name === 'authorization' ? value : '') ?? [];
  return encoded === undefined ? value : `Basic base64(${Buffer.from(encoded, 'base64').toString('utf8')})`;
}

function answerText({ status, headers, cookies, body }: Answer): string {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`];
  for (const [name, value] of Object.entries(headers)) {
    // The headers of pages are the same for all, and long.
    if (name !== 'content-security-policy' && name !== 'permissions-policy')
      lines.push(`${headerName(name)}: ${value}`);
  }
  for (const cookie of cookies) lines.push(`Set-Cookie: ${cookie}`);
  return [...lines, '', bodyText(headers['content-type'] ?? '', body)].join('\n');
}

const headerName = (name: string): string =>
  name === 'etag' || name === 'www-authenticate'
    ? { etag: 'ETag', 'www-authenticate': 'WWW-Authenticate' }[name]
    : name.replaceAll(/(^|-)([a-z])/gu, (_, dash: string, letter: string) => dash + letter.toUpperCase());

function bodyText(type: string, body: string): string {
  if (body === '') return '';
  if (/^(?:text\/(?:html|css|javascript)|image\/)/u.test(type)) return '…';
  if (type.startsWith('application/x-www-form-urlencoded')) return body.replaceAll('&', '\n  &');
  return shortened(/json/u.test(type) ? pretty(body) : body);
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}

function shortened(text: string): string {
  const lines = text.split('\n');
  return lines.length <= LINES_MAX ? text : [...lines.slice(0, LINES_MAX), '…'].join('\n');
}
