import type { Settings } from '../config/settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { FetchCause, OutboundFailure, OutboundHttp } from '../ports/outbound-http.ts';
import type { BoundedMap } from '../spec/bounded-map.ts';
import { type Caches, SLOT_BYTES, textBytes } from '../spec/caches.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { type RasterImage, readRasterImage } from '../spec/raster-image.ts';

export interface LogoImageNeeds {
  readonly outbound: Pick<OutboundHttp, 'get' | 'urlProblem'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'info'>;
  readonly caches: Caches;
  readonly settings: Pick<Settings, 'pages.logo-lifetime' | 'pages.logo-size-max' | 'pages.logo-pixels-max'>;
}

export interface LogoImage extends RasterImage {
  readonly bytes: Uint8Array;
}

/** The state of a logo: its image, `unfit` for an address that gave none, `unknown` for one that was not fetched lately. */
export type LogoState = LogoImage | 'unfit' | 'unknown';

interface Kept {
  /** Undefined if the address gave no image that is shown. */
  readonly image: LogoImage | undefined;
  readonly at: number;
}

/** Seconds after which an address that gave no image is asked again. */
const UNFIT_LIFETIME = 300;

/** Failures that say nothing about the address. */
const UNTRIED: ReadonlySet<OutboundFailure> = new Set(['busy', 'gave-way', 'recently-failed']);

/**
 * Sent as `Accept`. Servers name images loosely, so the list admits more than the formats; the octets decide, and the
 * server's own type goes to the browser.
 */
const MEDIA_TYPES = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/jpg',
  'application/octet-stream',
];

const ENTRY_BYTES = SLOT_BYTES + 256;

/** The images at the `logo_uri` of clients, fetched by this server, so that no browser asks the host of a client. */
export class LogoImages {
  readonly #needs: LogoImageNeeds;
  readonly #kept: BoundedMap<string, Kept>;

  constructor(needs: LogoImageNeeds) {
    this.#needs = needs;
    this.#kept = needs.caches.open('logos', {
      weigh: ({ image }, url) => ENTRY_BYTES + textBytes(url) + (image?.bytes.length ?? 0),
    });
  }

  /** Returns what is known about an address. Fetches nothing. */
  state(url: string): LogoState {
    if (this.#needs.outbound.urlProblem(url) !== undefined) return 'unfit';
    const kept = this.#kept.get(url);
    if (kept === undefined || this.#needs.clock.now() >= kept.at + this.#lifetimeOf(kept)) return 'unknown';
    return kept.image ?? 'unfit';
  }

  /**
   * Returns the image at an address. Fetches it if it is not known. An image that is too old and cannot be fetched again is
   * no longer shown.
   * @param remoteAddress the IP address of the request, for the budget of the fetch
   */
  async image(url: string, client_id: ClientId, remoteAddress: string): Promise<LogoImage | undefined> {
    const state = this.state(url);
    if (state === 'unfit') return undefined;
    return state === 'unknown' ? await this.#fetch(url, client_id, remoteAddress) : state;
  }

  #lifetimeOf({ image }: Kept): number {
    const lifetime = this.#needs.settings['pages.logo-lifetime'];
    return image === undefined ? Math.min(UNFIT_LIFETIME, lifetime) : lifetime;
  }

  async #fetch(url: string, client_id: ClientId, remoteAddress: string): Promise<LogoImage | undefined> {
    const { outbound, clock, log, settings } = this.#needs;
    const cause: FetchCause = { purpose: 'logos', remoteAddress, party: client_id };
    const expectation = { mediaTypes: MEDIA_TYPES, bodyMax: settings['pages.logo-size-max'] };
    const fetched = await outbound.get(url, expectation, cause);
    if (fetched.status === 'failed' && UNTRIED.has(fetched.reason)) return undefined;
    const read = fetched.status === 'ok' ? this.#read(fetched.body) : `${fetched.reason}: ${fetched.detail}`;
    const image = typeof read === 'string' ? undefined : read;
    this.#kept.set(url, { image, at: clock.now() });
    if (typeof read === 'string') log.info({ client_id, problem: read }, 'the logo of a client is not shown');
    return image;
  }

  /** Returns an image that pages may show, or why they may not. */
  #read(body: Uint8Array): LogoImage | string {
    const image = readRasterImage(body);
    if ('problem' in image) return `the logo ${image.problem}`;
    const pixelsMax = this.#needs.settings['pages.logo-pixels-max'];
    return Math.max(image.width, image.height) <= pixelsMax
      ? { ...image, bytes: body }
      : `the logo has ${image.width} × ${image.height} pixels; pages.logo-pixels-max is ${pixelsMax}`;
  }
}
