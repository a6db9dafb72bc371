import type { Settings } from '../../config/settings.ts';
import type { ClientStore } from '../../ports/client-store.ts';
import { NotFound } from '../../spec/errors.ts';
import type { Endpoint } from '../contract.ts';
import { logoAt, type PageLogoNeeds } from '../page-logo.ts';
import { contract } from './contract.ts';

export interface ClientLogoNeeds extends PageLogoNeeds {
  readonly clients: Pick<ClientStore, 'find'>;
  readonly settings: Pick<Settings, 'pages.logos' | 'pages.logo-lifetime'>;
}

/** Seconds. */
const BROWSER_LIFETIME_MAX = 3600;

/** The octets come from a stranger: a browser that is led to this address shows them, and does nothing else. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

/** Serves the logo of a client from this server's own copy. */
export function clientLogo(needs: ClientLogoNeeds): Endpoint {
  const maxAge = Math.min(needs.settings['pages.logo-lifetime'], BROWSER_LIFETIME_MAX);
  return {
    contract,
    async handle({ segment, remoteAddress }) {
      const image = await logoAt(needs, segment, remoteAddress);
      if (image === undefined) throw new NotFound();
      return {
        status: 200,
        headers: {
          ...HEADERS,
          'content-type': image.mediaType,
          'cache-control': `private, max-age=${maxAge}`,
        },
        body: image.bytes,
      };
    },
  };
}
