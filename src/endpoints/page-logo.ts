import type { LogoImage, LogoImages } from '../clients/logo-images.ts';
import { metadataOf } from '../clients/registered-client.ts';
import type { Settings } from '../config/settings.ts';
import { digestOf } from '../keys/digest.ts';
import type { ClientStore, StoredClient } from '../ports/client-store.ts';
import type { PageLogo } from '../ports/pages.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { issuerPath } from '../spec/issuer.ts';
import { percentDecode } from '../spec/percent-encoding.ts';
import { parseUri } from '../spec/uri.ts';
import { isAnybodys, saidIn } from './page-client.ts';

export interface PageLogoNeeds {
  readonly issuer: string;
  readonly logos: LogoImages;
  readonly settings: Pick<Settings, 'pages.logos'>;
}

export const LOGO_PATH = '/logos';

/** The box of a logo on a page, in CSS pixels. */
const BOX = { width: 240, height: 48 };

/** Characters of the address's digest in the path of a logo, so that another `logo_uri` gets another path. */
const VERSION_LENGTH = 16;

/**
 * Returns the logo of a client in the first available language, at a path of this server. Undefined for a client without
 * one, or one whose address is known to give no image. Fetches nothing, so that no page waits: the browser's request for
 * the image does.
 * @param redirect_uri where the person is sent back to
 */
export function pageLogo(
  { issuer, logos, settings }: PageLogoNeeds,
  client: StoredClient,
  { redirect_uri, languages }: { readonly redirect_uri: string; readonly languages: readonly string[] },
): PageLogo | undefined {
  const url = saidIn(metadataOf(client), 'logo_uri', languages);
  if (url === undefined || !mayBeShown(settings, client, url, [redirect_uri])) return undefined;
  const state = logos.state(url);
  if (state === 'unfit') return undefined;
  const name = `${versionOf(url)}-${encodeURIComponent(client.client_id)}`;
  const src = `${issuerPath(issuer)}${LOGO_PATH}/${name}`;
  return state === 'unknown' ? { src } : { src, ...scaled(state) };
}

/**
 * Returns the image at a path that a page names.
 * @param segment the last segment of the path, still percent-encoded
 */
export async function logoAt(
  { logos, settings, clients }: PageLogoNeeds & { readonly clients: Pick<ClientStore, 'find'> },
  segment: string,
  remoteAddress: string,
): Promise<LogoImage | undefined> {
  const [, version, encoded = ''] = /^([A-Za-z0-9_-]{16})-(.+)$/.exec(segment) ?? [];
  const client_id = percentDecode(encoded) as ClientId | undefined;
  const client = version === undefined || !client_id ? undefined : await clients.find(client_id);
  if (client === undefined) return undefined;
  const url = logoUris(client).find((uri) => versionOf(uri) === version);
  const { redirect_uris = [] } = metadataOf(client);
  if (url === undefined || !mayBeShown(settings, client, url, redirect_uris)) return undefined;
  return await logos.image(url, client.client_id, remoteAddress);
}

const versionOf = (url: string): string => digestOf(url).slice(0, VERSION_LENGTH);

/** Returns the registered logos in all languages. */
function logoUris(client: StoredClient): readonly string[] {
  return Object.entries(metadataOf(client)).flatMap(([member, value]) =>
    /^logo_uri(?:#|$)/.test(member) && typeof value === 'string' ? [value] : [],
  );
}

/**
 * Says whether pages show this logo. One of a client that the operator does not vouch for must have the host that the
 * response goes to, or that of its document (OpenID Connect Dynamic Client Registration 1.0 §9.1; RFC 7591 §5). Another
 * registered redirection URI proves nothing: anyone can register one of a bank beside their own.
 */
function mayBeShown(
  settings: PageLogoNeeds['settings'],
  client: StoredClient,
  url: string,
  redirect_uris: readonly string[],
): boolean {
  const shown = settings['pages.logos'];
  if (shown === 'none') return false;
  if (!isAnybodys(client)) return true;
  if (shown === 'vouched') return false;
  const own = [client.client_id, ...redirect_uris].map((uri) => parseUri(uri)?.http?.host);
  const host = parseUri(url)?.http?.host;
  return host !== undefined && own.includes(host);
}

/** Returns the size that fits into the box, never larger than the image. */
function scaled({ width, height }: LogoImage): Pick<PageLogo, 'width' | 'height'> {
  const scale = Math.min(1, BOX.width / width, BOX.height / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
