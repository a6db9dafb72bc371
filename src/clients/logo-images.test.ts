import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Settings } from '../config/settings.ts';
import type { Expectation, FetchCause, Fetched } from '../ports/outbound-http.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { ampleCaches } from '../testing/caches.ts';
import { gifImage, pngImage } from '../testing/images.ts';
import { testSettings } from '../testing/settings.ts';
import { type LogoImage, LogoImages } from './logo-images.ts';

const URL_A = 'https://client.example/logo.png';
const CLIENT = 'client' as ClientId;
const ADDRESS = '192.0.2.1';

const imageFound = (body: Uint8Array): Fetched => ({ status: 'ok', body, mediaType: 'text/anything' });

interface Fetch {
  readonly url: string;
  readonly expectation: Expectation;
  readonly cause: FetchCause;
}

interface World {
  /** The result of each later fetch. */
  found: Fetched;
  readonly fetches: readonly Fetch[];
  readonly problems: readonly unknown[];
  readonly logos: LogoImages;
  readonly advance: (seconds: number) => void;
  readonly ask: (url?: string) => Promise<LogoImage | undefined>;
}

function world(found: Fetched, settings: Partial<Settings> = {}): World {
  let now = 1_800_000_000;
  const fetches: Fetch[] = [];
  const problems: unknown[] = [];
  const self: World = {
    found,
    fetches,
    problems,
    advance: (seconds) => {
      now += seconds;
    },
    logos: new LogoImages({
      outbound: {
        urlProblem: (url) =>
          url.startsWith('https:') ? undefined : { reason: 'forbidden-scheme', detail: url },
        async get(url, expectation, cause) {
          fetches.push({ url, expectation, cause });
          return self.found;
        },
      },
      clock: { now: () => now },
      log: { info: ({ problem }) => void problems.push(problem) },
      caches: ampleCaches(),
      settings: testSettings(settings),
    }),
    ask: async (url = URL_A) => await self.logos.image(url, CLIENT, ADDRESS),
  };
  return self;
}

test('an image is fetched once, by its own purpose and for its client, and its type comes from its octets', async () => {
  const { logos, ask, fetches, problems } = world(imageFound(gifImage(20, 10)));
  assert.equal(logos.state(URL_A), 'unknown');
  assert.equal(fetches.length, 0, 'a page causes no fetch');
  const image = await ask();
  assert.deepEqual([image?.mediaType, image?.width, image?.height], ['image/gif', 20, 10]);
  assert.equal(await ask(), image);
  assert.equal(logos.state(URL_A), image);
  assert.equal(fetches.length, 1);
  assert.deepEqual(fetches[0]?.cause, { purpose: 'logos', remoteAddress: ADDRESS, party: CLIENT });
  assert.equal(fetches[0]?.expectation.bodyMax, 262_144);
  assert.ok(fetches[0]?.expectation.mediaTypes.every((type) => !type.includes('svg')));
  assert.deepEqual(problems, []);
});

test('after pages.logo-lifetime an image is fetched again; if that fails it is shown no longer', async () => {
  const peer = world(imageFound(pngImage(2, 2)), { 'pages.logo-lifetime': 600 });
  await peer.ask();
  peer.advance(599);
  await peer.ask();
  assert.equal(peer.fetches.length, 1);
  peer.advance(1);
  assert.equal(peer.logos.state(URL_A), 'unknown');
  peer.found = { status: 'failed', reason: 'status', detail: 'status 404' };
  assert.equal(await peer.ask(), undefined);
  assert.equal(peer.logos.state(URL_A), 'unfit');
  assert.deepEqual(peer.problems, ['status: status 404']);
});

test('an address that gave no image is asked again after five minutes', async () => {
  const peer = world(imageFound(Buffer.from('<svg onload="alert(1)"/>')));
  assert.equal(await peer.ask(), undefined);
  peer.advance(299);
  assert.equal(await peer.ask(), undefined);
  assert.equal(peer.fetches.length, 1);
  assert.deepEqual(peer.problems, ['the logo is not a PNG, JPEG, GIF or WebP image']);
  peer.advance(1);
  peer.found = imageFound(pngImage(2, 2));
  assert.ok((await peer.ask()) !== undefined);
});

for (const reason of ['busy', 'gave-way', 'recently-failed'] as const) {
  test(`a fetch that is ${reason} says nothing about the address: the next request tries again`, async () => {
    const peer = world({ status: 'failed', reason, detail: '' });
    assert.equal(await peer.ask(), undefined);
    assert.equal(peer.logos.state(URL_A), 'unknown');
    peer.found = imageFound(pngImage(2, 2));
    assert.ok((await peer.ask()) !== undefined);
  });
}

test('H-348: an image with more pixels than pages.logo-pixels-max is not shown, however few octets it has', async () => {
  const peer = world(imageFound(gifImage(2049, 1)));
  assert.equal(await peer.ask(), undefined);
  assert.match(String(peer.problems[0]), /2049 × 1 pixels; pages\.logo-pixels-max is 2048/);
});

test('H-346: an address that must not be fetched is known to give no image', async () => {
  const { logos, ask, fetches } = world(imageFound(pngImage(2, 2)));
  const url = 'http://client.example/logo.png';
  assert.equal(logos.state(url), 'unfit');
  assert.equal(await ask(url), undefined);
  assert.deepEqual(fetches, []);
});
