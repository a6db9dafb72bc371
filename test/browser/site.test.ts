import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { runFile } from '../../tools/child.ts';
import { LEFT_OUT_VARIABLE } from '../clients/installed.ts';
import { newBrowser } from './browser.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
};
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };
/** A page of each kind: an index, prose, wide tables, requests and answers. */
const PAGES = ['index', 'operate/install', 'reference/configuration', 'reference/endpoints/token'];

suite('the site of the documents', { skip: process.env[LEFT_OUT_VARIABLE] === '1' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-site-'));
  let server: Server;
  let origin = '';

  before(async () => {
    const { how, output } = await runFile('tools/site.ts', '--out', folder);
    assert.equal(how, 0, output);
    server = createServer((request, response) => {
      const file = join(folder, new URL(request.url ?? '/', 'http://site').pathname);
      const type = TYPES[extname(file)];
      if (type === undefined || !existsSync(file)) response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': type }).end(readFileSync(file));
    });
    origin = `http://127.0.0.1:${await listeningPort(server.listen(0, '127.0.0.1'))}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  test('every document is a page, and every link of a page leads to a file of the site and to a heading in it', () => {
    const pages = globSync('**/*.html', { cwd: folder });
    assert.equal(pages.length, globSync('**/*.md', { cwd: DOCS }).length);
    const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]));
    const broken = pages.flatMap((page) =>
      [...(texts.get(page) ?? '').matchAll(/ (?:href|src)="([^":]+)"/gu)].flatMap(([, link = '']) => {
        const [path = '', hash] = link.split('#');
        const target = path === '' ? page : join(dirname(page), path);
        if (!existsSync(join(folder, target))) return [`${page}: ${link}`];
        const named = hash === undefined || texts.get(target)?.includes(`id="${decodeURIComponent(hash)}"`);
        return named === false ? [`${page}: ${link}`] : [];
      }),
    );
    assert.deepEqual(broken, []);
  });

  for (const [name, viewport] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
    test(`no page is wider than a ${name}, none has an error, and search leads to a section`, async () => {
      const context = await newBrowser({ viewport });
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('response', (response) => {
        if (response.status() >= 400) faults.push(response.url());
      });
      for (const path of PAGES) {
        await page.goto(`${origin}/${path}.html`);
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        assert.ok(width <= viewport.width, `${path}: ${width}`);
      }
      await page.locator('#search').fill('openapi.enabled');
      await page.locator('#found a').first().waitFor();
      await page.locator('#search').fill('introspect token');
      await page.locator('#found a', { hasText: 'POST /token/introspect' }).first().click();
      await page.waitForURL(/\/reference\/endpoints\/introspection\.html#post-tokenintrospect$/u);
      assert.deepEqual(faults, []);
      if (process.env['CHANCERY_SITE_PICTURES'] !== undefined)
        await page.screenshot({ path: join(process.env['CHANCERY_SITE_PICTURES'], `${name}.png`) });
      await context.close();
    });
  }
});
