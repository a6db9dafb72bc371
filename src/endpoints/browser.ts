import { digestOf } from '../keys/digest.ts';
import { cookieName, readCookie, setCookie } from '../spec/cookies.ts';
import { OAuthError } from '../spec/errors.ts';
import type { EndpointRequest } from './contract.ts';

/** What a browser keeps for us: its session, who signed in with it before, and the pages that wait for an answer in it. */
type CookiePurpose = 'session' | 'browser' | 'interaction';

/** The browser behind a request, as one issuer sees it. */
export interface Browser {
  /** @returns undefined where there is none, or more than one: nobody knows which is ours */
  cookie(request: EndpointRequest, purpose: CookiePurpose): string | undefined;
  /**
   * A `Set-Cookie` value.
   * @param maxAge seconds; undefined: as long as the browser runs
   */
  keep(purpose: CookiePurpose, value: string, maxAge?: number): string;
  forget(purpose: CookiePurpose): string;
  /**
   * Whether a page of ours made this post.
   * @throws OAuthError invalid_request
   */
  requireOwnPage(request: EndpointRequest): void;
  /**
   * Whether somebody comes, and not only a browser that looks ahead: what can be used once must be there for the person.
   * @throws OAuthError invalid_request, with which a browser asks again once the person goes there
   */
  requireVisit(request: EndpointRequest): void;
}

const NAME_DIGEST_LENGTH = 8;

/** WHATWG Fetch §2.2.7, `Sec-Purpose`, and its forerunner `Purpose`. */
const LOOKS_AHEAD = /\b(?:prefetch|prerender|preview)\b/i;

export function browserOf(issuer: string): Browser {
  const { origin, protocol } = new URL(issuer);
  const secure = protocol === 'https:';
  // Cookies hold for a whole host: issuers that share one by their paths must not overwrite each other's.
  const suffix = digestOf(issuer)
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, NAME_DIGEST_LENGTH);
  const nameOf = (purpose: CookiePurpose): string => cookieName(`chancery-${purpose}-${suffix}`, secure);
  return {
    cookie: ({ headers }, purpose) => readCookie(headers['cookie'], nameOf(purpose)),
    keep: (purpose, value, maxAge) => setCookie({ name: nameOf(purpose), value, maxAge, secure }),
    forget: (purpose) => setCookie({ name: nameOf(purpose), value: '', maxAge: 0, secure }),
    requireOwnPage({ headers }) {
      if (isOwnPage(headers, origin)) return;
      throw new OAuthError('invalid_request', {
        error_description: 'the form was not sent by a page of this server',
        detail: `origin ${headers['origin']}, sec-fetch-site ${headers['sec-fetch-site']}`,
      });
    },
    requireVisit({ method, headers }) {
      if (method !== 'HEAD' && !LOOKS_AHEAD.test(headers['sec-purpose'] ?? headers['purpose'] ?? '')) return;
      throw new OAuthError('invalid_request', {
        error_description: 'nothing is done for a request that only looks ahead',
      });
    },
  };
}

/**
 * Our pages have the referrer policy `no-referrer`, with which browsers send `Origin: null` (WHATWG Fetch §3.2, "serializing a
 * request origin"): it says nothing, and the browser's own word, which no page can set, decides.
 */
function isOwnPage(headers: EndpointRequest['headers'], own: string): boolean {
  const { origin, referer } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin !== undefined && origin !== 'null') return origin === own;
  if (site !== undefined) return true;
  return origin === undefined && referer !== undefined && URL.parse(referer)?.origin === own;
}
