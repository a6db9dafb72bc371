import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { EndpointRequest, EndpointResponse } from '../../src/endpoints/contract.ts';
import { pageResponse } from '../../src/endpoints/page-response.ts';
import { openPages } from '../../src/pages/liquid-pages.ts';
import { SAMPLE_PAGES } from '../../src/pages/sample-pages.ts';
import { pngImage } from '../../src/testing/images.ts';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { testSettings } from '../../src/testing/settings.ts';

/** Every page in the forms it can have, at its name, with the headers that the program sends with it. */
export interface SamplePagesServer {
  readonly origin: string;
  readonly names: readonly string[];
  stop(): Promise<void>;
}

const ASSETS = '/assets/';
const SAMPLE_LOGO = '/logos/sample';
/** Two rings, as one sees paper clips. */
const LOGO = pngImage(96, 96, [], (x, y) => {
  const isRing = [34, 62].some((center) => Math.abs(Math.hypot(x - center, y - 48) - 24) < 5);
  return isRing ? [0x1d, 0x4e, 0xd8] : [0xff, 0xff, 0xff];
});

export async function serveSamplePages(): Promise<SamplePagesServer> {
  const pages = openPages(ASSETS, undefined);
  const server = createServer(({ url = '', headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const asset = pathname.startsWith(ASSETS) ? pages.asset(pathname.slice(ASSETS.length)) : undefined;
    if (asset !== undefined)
      return send(response, { status: 200, headers: { 'content-type': asset.mediaType }, body: asset.body });
    if (pathname === SAMPLE_LOGO)
      return send(response, { status: 200, headers: { 'content-type': 'image/png' }, body: LOGO });
    const page = SAMPLE_PAGES[pathname.slice(1)];
    if (page === undefined) return send(response, { status: 404, headers: {} });
    const request = {
      headers: { 'accept-language': headers['accept-language'] },
    } as unknown as EndpointRequest;
    const ui_locales = searchParams.get('ui_locales') ?? undefined;
    const needs = { pages, settings: testSettings({ 'pages.error-details': true }) };
    send(response, staying(pageResponse(needs, request, page, { ui_locales })));
  }).listen(0, '127.0.0.1');
  const port = await listeningPort(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    names: Object.keys(SAMPLE_PAGES),
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** One page goes on when its frames have loaded. Here it stays, and its frames load nothing. */
function staying(answered: EndpointResponse): EndpointResponse {
  const { body } = answered;
  if (typeof body !== 'string') return answered;
  const still = body
    .replace(/<meta http-equiv="refresh"[^>]*>/, '')
    .replaceAll(/<iframe src="[^"]*"/g, '<iframe');
  return { ...answered, body: still };
}

function send(response: ServerResponse, { status, headers, body = '' }: EndpointResponse): void {
  response.writeHead(status, headers).end(body);
}
