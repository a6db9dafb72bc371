import type { Settings } from '../config/settings.ts';
import type { ErrorPage, Page, PageNotice, Pages } from '../ports/pages.ts';
import { preferredLanguages } from '../spec/languages.ts';
import { UNCACHED } from './answer.ts';
import type { EndpointRequest, EndpointResponse, Failure } from './contract.ts';

export interface PageNeeds {
  readonly pages: Pages;
  readonly settings: Settings;
}

export interface PageOptions {
  readonly status?: number;
  /** OpenID Connect Core 1.0 §3.1.2.1. */
  readonly ui_locales?: string | undefined;
  /** Further targets of the page's form: browsers apply `form-action` to redirections after the form too (CSP Level 3 §6.4.1). */
  readonly formTargets?: readonly string[];
  readonly cookies?: readonly string[];
}

/** Returns a page with the headers that every page has (H-185). */
export function pageResponse(
  { pages, settings }: PageNeeds,
  request: EndpointRequest,
  page: Page,
  options: PageOptions = {},
): EndpointResponse {
  const { status = 200, ui_locales, formTargets = [], cookies = [] } = options;
  const languages = preferredLanguages(ui_locales, request.headers['accept-language']);
  const targets = page.kind === 'form-post' ? [page.action] : formTargets;
  return {
    status,
    headers: {
      ...PAGE_HEADERS,
      'cross-origin-opener-policy': settings['pages.cross-origin-opener-policy'],
      'content-security-policy': contentSecurityPolicy(page, targets),
    },
    ...(cookies.length === 0 ? {} : { cookies }),
    body: pages.render(page, languages),
  };
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  ...UNCACHED,
  // The address of a page may hold an ID token, a state or a handle.
  'referrer-policy': 'no-referrer',
  // For browsers that do not know frame-ancestors (RFC 7034 §2.1).
  'x-frame-options': 'DENY',
} as const;

/** Pages with a script of their own. */
const SCRIPTED: ReadonlySet<Page['kind']> = new Set(['form-post', 'front-channel-logout', 'development']);

function contentSecurityPolicy(page: Page, targets: readonly string[]): string {
  const script = SCRIPTED.has(page.kind) ? " script-src 'self';" : '';
  const framed = page.kind === 'front-channel-logout' ? ` frame-src${sourcesOf(page.frames)};` : '';
  return (
    `default-src 'none'; style-src 'self'; img-src 'self';${script}${framed} form-action 'self'${sourcesOf(targets)}; ` +
    "frame-ancestors 'none'; base-uri 'none'"
  );
}

const sourcesOf = (targets: readonly string[]): string => [...new Set(targets.map(sourceOf))].join('');

/**
 * Returns a host-source for http, and a scheme-source for an application's own scheme (CSP Level 3 §2.3.1). Registered hosts
 * consist of letters, digits, dots and hyphens (src/spec/uri.ts), so none adds a source or a directive.
 */
function sourceOf(target: string): string {
  const { origin, protocol } = new URL(target);
  return ` ${origin === 'null' ? protocol : origin}`;
}

/** Returns the notice of a page about a problem. @param words the reason, which the page shows only if a setting allows that */
export function pageNotice({ settings }: PageNeeds, { id }: EndpointRequest, words: string): PageNotice {
  return { error_id: id, detail: settings['pages.error-details'] ? words : undefined };
}

/** Renders the errors of endpoints that people visit in a browser. */
export const errorPage =
  (needs: PageNeeds) =>
  (request: EndpointRequest, { status, error, words, retryAfter }: Failure): EndpointResponse => {
    const notice = pageNotice(needs, request, words);
    const page: ErrorPage = { kind: 'error', error, notice, wait_seconds: retryAfter };
    const response = pageResponse(needs, request, page, { status });
    return retryAfter === undefined
      ? response
      : { ...response, headers: { ...response.headers, 'retry-after': String(retryAfter) } };
  };
