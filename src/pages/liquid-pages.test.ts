import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Page, ThemeInvalid } from '../ports/pages.ts';
import { ampleCaches } from '../testing/caches.ts';
import { openPages, rememberedThemes } from './liquid-pages.ts';
import { SAMPLE_PAGES } from './sample-pages.ts';

const pages = openPages('/assets/', undefined);
const EVERY: readonly (readonly [title: string, page: Page, language: string])[] = Object.entries(
  SAMPLE_PAGES,
).flatMap(([name, page]) =>
  pages.languages.map((language) => [`${name} in ${language}`, page, language] as const),
);

/** H-121: hostile client names. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '{{ page.form.form_token }}',
  '{% render "error" %}',
  '${7*7}',
  'javascript:alert(1)',
];

test('pages speak English, German, French and Spanish', () => {
  assert.deepEqual([...pages.languages].sort(), ['de', 'en', 'es', 'fr']);
});

for (const [title, page, language] of EVERY) {
  const html = pages.render(page, [language]);

  test(`${title}: one heading, its language, no script, style or handler inline (CSP without unsafe-inline)`, () => {
    assert.match(html, new RegExp(`<html lang="${language}">`));
    assert.equal(html.match(/<h1>/g)?.length, 1);
    assert.doesNotMatch(
      html,
      /\son[a-z]+=|style=|<style|javascript:|<script>|<img(?! class="logo" src="\/logos\/sample" alt="")/,
    );
    const goesOn = page.kind === 'front-channel-logout' && page.location !== undefined;
    const scripted = page.kind === 'form-post' || page.kind === 'development' || goesOn;
    assert.equal(html.includes('<script '), scripted);
    const frames = page.kind === 'front-channel-logout' ? page.frames.length : 0;
    assert.equal(html.match(/<iframe /g)?.length ?? 0, frames);
    assert.doesNotMatch(html, /\{\}|undefined|\[object/);
  });

  test(`${title}: each field has a label, each button words (WCAG 2.2, 1.3.1 and 4.1.2)`, () => {
    for (const [field] of html.matchAll(/<input(?![^>]*type="hidden")[^>]*>/g)) {
      const id = /id="([^"]+)"/.exec(field)?.[1];
      assert.ok(id !== undefined && html.includes(`<label for="${id}">`), field);
    }
    for (const [, words] of html.matchAll(/<button[^>]*>([^<]*)</g)) assert.ok((words ?? '').trim() !== '');
  });

  test(`${title}: each asset it refers to is served under a name made from its content`, () => {
    const names = [...html.matchAll(/"\/assets\/([^"]+)"/g)].map(([, name]) => name ?? '');
    assert.ok(names.length > 0);
    for (const name of names) assert.ok((pages.asset(name)?.body ?? '').length > 0, name);
  });
}

/** Returns the page with every text in it replaced. */
function withTexts(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text;
  if (Array.isArray(value)) return value.map((item) => withTexts(item, text));
  if (typeof value !== 'object' || value === null) return value;
  const fixed = new Set(['kind', 'outcome', 'problem']);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, fixed.has(name) ? member : withTexts(member, text)]),
  );
}

for (const [name, page] of Object.entries(SAMPLE_PAGES)) {
  test(`${name}: hostile text in every place adds no element and no attribute (H-121, H-180)`, () => {
    const shape = (html: string): readonly string[] =>
      [...html.matchAll(/<[^>]*>/g)].map(([tag]) => tag.replaceAll(/"[^"]*"/g, '""'));
    const harmless = shape(pages.render(withTexts(page, 'x') as Page, ['en']));
    for (const text of HOSTILE) {
      const html = pages.render(withTexts(page, text) as Page, ['en']);
      assert.deepEqual(shape(html), harmless, text);
    }
  });
}

test('an unknown asset, and one named like a member of every object, is none', () => {
  for (const name of ['style.css', 'constructor', '__proto__', '../theme-files.ts']) {
    assert.equal(pages.asset(name), undefined, name);
  }
});

function withFolder(files: Readonly<Record<string, string>>, act: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-theme-'));
  try {
    for (const kind of ['templates', 'messages']) mkdirSync(join(folder, kind));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    act(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a theme folder replaces what it has, adds a language and pictures, and keeps the rest', () => {
  const files = {
    'templates/client.liquid':
      '<p>Acme: {{ client.name }}</p><img src="{{ assets["logo.svg"] }}" alt="Acme">',
    'messages/de.json': '{"sign_in.title": "Grüezi"}',
    'messages/it.json': '{"sign_in.title": "Accedi", "scope.clips:write": "Scrivere"}',
    'style.css': 'body { color: green }',
    'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  };
  withFolder(files, (folder) => {
    const themed = openPages('/assets/', folder);
    const signIn = SAMPLE_PAGES['sign-in'] as Page;
    assert.match(
      themed.render(signIn, ['de']),
      /<h1>Grüezi<\/h1>[^]*Acme: Paper Clips[^]*logo-[0-9a-f]{12}\.svg/,
    );
    assert.match(themed.render(signIn, ['it']), /<h1>Accedi<\/h1>[^]*Password/);
    assert.match(themed.render(SAMPLE_PAGES['consent'] as Page, ['it']), /<li>Scrivere<\/li>/);
    const style = /\/assets\/(style-[^"]+)/.exec(themed.render(signIn, []))?.[1] ?? '';
    assert.equal(themed.asset(style)?.body, 'body { color: green }');
  });
});

const BROKEN: readonly (readonly [title: string, files: Readonly<Record<string, string>>, says: RegExp])[] = [
  ['a template that does not parse', { 'templates/error.liquid': '{% if %}{{' }, /error in en/],
  ['an undefined variable', { 'templates/error.liquid': '{{ page.nonsense.deeper }}' }, /nonsense/],
  ['an unknown page', { 'templates/sing-in.liquid': '' }, /sing-in\.liquid: is not a page/],
  [
    'an unknown message',
    { 'messages/de.json': '{"sign_in.titel": "x"}' },
    /sign_in\.titel: is not a message/,
  ],
  ['texts that are not JSON', { 'messages/de.json': '{' }, /de\.json: is not JSON/],
  ['texts that are a list', { 'messages/de.json': '[]' }, /de\.json: is not a JSON object/],
  ['a text that is a number', { 'messages/de.json': '{"cancel": 1}' }, /cancel is not a string/],
  ['a language that is none', { 'messages/Deutsch.json': '{}' }, /language tag/],
];

for (const [title, files, says] of BROKEN) {
  test(`a theme with ${title} is refused when it is read, with its name`, () => {
    withFolder(files, (folder) => {
      assert.throws(
        () => openPages('/assets/', folder),
        (failure) => failure instanceof ThemeInvalid && says.test(failure.message),
      );
    });
  });
}

test('a theme folder that does not exist is refused', () => {
  assert.throws(() => openPages('/assets/', '/nonexistent/theme'), /does not exist/);
});

test('issuers with one theme share it: its files are read once, and each issuer has its own asset paths', () => {
  const files = { 'style.css': 'body { color: green }', 'messages/de.json': '{"sign_in.title": "Grüezi"}' };
  const open = rememberedThemes(ampleCaches(), () => undefined);
  withFolder(files, (folder) => {
    const first = open('/a/assets/', folder);
    writeFileSync(join(folder, 'style.css'), 'body { color: red }');
    writeFileSync(join(folder, 'messages/de.json'), '{"sign_in.title": "Servus"}');
    const second = open('/b/assets/', folder);
    const signIn = SAMPLE_PAGES['sign-in'] as Page;
    assert.match(first.render(signIn, ['de']), /href="\/a\/assets\/style-[^]*<h1>Grüezi</);
    assert.match(second.render(signIn, ['de']), /href="\/b\/assets\/style-[^]*<h1>Grüezi</);
    const style = /\/b\/assets\/(style-[^"]+)/.exec(second.render(signIn, []))?.[1] ?? '';
    assert.equal(second.asset(style), first.asset(style), 'the same file in memory');
    assert.equal(second.asset(style)?.body, 'body { color: green }');
    assert.match(openPages('/c/assets/', folder).render(signIn, ['de']), /<h1>Servus</);
  });
});

test('H-290: a theme that prints something unescaped is named once, when it opens', () => {
  const files = {
    'templates/client.liquid': '<p>{{ client.name | raw }}</p>',
    'templates/error.liquid': '{% raw %}{{ raw }}{% endraw %} {{ page.kind }}',
  };
  withFolder(files, (folder) => {
    const warnings: string[] = [];
    const open = rememberedThemes(ampleCaches(), (line) => void warnings.push(line));
    open('/a/assets/', undefined);
    assert.deepEqual(warnings, []);
    open('/a/assets/', folder);
    open('/b/assets/', folder);
    assert.equal(warnings.length, 1, warnings.join());
    assert.match(
      warnings[0] ?? '',
      /templates\/client\.liquid uses the filter raw: what it prints is not escaped/,
    );
  });
});

test('a broken theme is not remembered: it opens as soon as its files are right', () => {
  withFolder({ 'messages/de.json': '{' }, (folder) => {
    const open = rememberedThemes(ampleCaches(), () => undefined);
    assert.throws(() => open('/assets/', folder), ThemeInvalid);
    writeFileSync(join(folder, 'messages/de.json'), '{}');
    assert.ok(open('/assets/', folder).languages.includes('de'));
  });
});
