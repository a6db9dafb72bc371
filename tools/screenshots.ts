// npm run screenshots: every page at phone and desktop width, light and dark, as Chromium shows it, to docs/images.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchChromium } from '../test/browser/chromium.ts';
import { serveSamplePages } from '../test/browser/sample-pages-server.ts';
import { ROOT } from './child.ts';

const FOLDER = join(ROOT, 'docs/images');
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } };

mkdirSync(FOLDER, { recursive: true });
const server = await serveSamplePages();
const browser = await launchChromium();
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport, colorScheme, locale: 'en-GB' });
    const page = await context.newPage();
    // One page sends itself: it is shown as it is without scripts.
    await page.route('**/*.js', async (route) => await route.abort());
    for (const name of server.names) {
      await page.goto(`${server.origin}/${name}`);
      await page.screenshot({ path: join(FOLDER, `${name}-${size}-${colorScheme}.png`), caret: 'hide' });
    }
    await context.close();
  }
}
await browser.close();
await server.stop();
