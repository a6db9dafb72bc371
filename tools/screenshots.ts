// npm run screenshots: the pictures that README and the guide of the console show, to docs/images. `npm run screenshots -- --all FOLDER` writes
// every page to FOLDER instead: at phone and desktop width, light and dark, as Chromium shows it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launchChromium } from '../test/browser/chromium.ts';
import { serveSamplePages } from '../test/browser/sample-pages-server.ts';
import { ROOT } from './child.ts';
import { consolePictures } from './console-pictures.ts';

const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } };
/** A page as README shows it: on a phone in daylight, and at a desk at night. */
const SHOWN_PAGES = new Set(['sign-in', 'consent', 'error', 'logout']);
const SHOWN_LOOKS = new Set(['phone-light', 'desktop-dark']);

const { values } = parseArgs({ options: { all: { type: 'string' } } });
const folder = values.all ?? join(ROOT, 'docs/images');
const isWanted = (name: string, look: string): boolean =>
  values.all !== undefined || (SHOWN_PAGES.has(name) && SHOWN_LOOKS.has(look));

mkdirSync(folder, { recursive: true });
const server = await serveSamplePages();
const browser = await launchChromium();
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const look = `${size}-${colorScheme}`;
    const context = await browser.newContext({ viewport, colorScheme, locale: 'en-GB' });
    const page = await context.newPage();
    // One page sends its form by script. Without the script it stays as it is.
    await page.route('**/*.js', async (route) => await route.abort());
    for (const name of server.names.filter((name) => isWanted(name, look))) {
      await page.goto(`${server.origin}/${name}`);
      await page.screenshot({ path: join(folder, `${name}-${look}.png`), caret: 'hide' });
    }
    await context.close();
  }
}
if (values.all === undefined) await consolePictures(folder);
await browser.close();
await server.stop();
