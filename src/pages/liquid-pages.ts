import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import type * as Liquidjs from 'liquidjs';
import { type Page, type PageAsset, type Pages, ThemeInvalid } from '../ports/pages.ts';
import { type AdminScope, isKnownAdminScope } from '../spec/admin-scopes.ts';
import { type Caches, SLOT_BYTES, textBytes } from '../spec/caches.ts';
import { lookUpLanguage } from '../spec/languages.ts';
import { SAMPLE_PAGES } from './sample-pages.ts';
import { ownTemplates, readTheme, type ThemeFiles } from './theme-files.ts';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Characters of the content digest in an asset's name, so that changed content gets a new name. */
const DIGEST_LENGTH = 12;

/** The opened pages of one theme, for any number of issuers. */
interface Theme {
  /** The estimated memory. */
  readonly bytes: number;
  /** @param assetsPath the path that serves the assets, with a slash at the end */
  at(assetsPath: string): Pages;
}

/** Opens the pages of a theme for one issuer; `undefined` is the theme of the product. @throws ThemeInvalid */
export type OpenPages = (assetsPath: string, folder: string | undefined) => Pages;

/** The memory of one language of an opened theme, in bytes. The parsed pages of the product take 786 KB in four languages. */
const LANGUAGE_BYTES = 200_000;

/**
 * Returns a function that opens the pages of an issuer. It reads a theme once, and all issuers with that theme share it:
 * parsing and trying the templates takes more time than everything else that a tenant opens. A theme that was evicted is
 * read again when a tenant with it opens.
 * @param warn takes a line for each template that prints something unescaped
 */
export function rememberedThemes(caches: Caches, warn: (line: string) => void): OpenPages {
  const themes = caches.open<string | undefined, Theme>('themes', {
    weigh: ({ bytes }) => SLOT_BYTES + bytes,
  });
  return (assetsPath, folder) => {
    const known = themes.get(folder);
    if (known === undefined) unescapedOutputs(folder).forEach(warn);
    const theme = known ?? openTheme(folder);
    themes.set(folder, theme);
    return theme.at(assetsPath);
  };
}

/** The filter that switches escaping off. */
const RAW = /\|\s*raw\b/u;

/** Returns a line for each template of the operator that prints something as markup, which a registrant may have chosen. */
function unescapedOutputs(folder: string | undefined): readonly string[] {
  if (folder === undefined) return [];
  return [...ownTemplates(folder)].flatMap(([name, text]) =>
    RAW.test(text)
      ? [
          `${folder}/templates/${name}.liquid uses the filter raw: what it prints is not escaped, and a client may have chosen it`,
        ]
      : [],
  );
}

/** Reads a theme, and opens its pages for one issuer. */
export const openPages: OpenPages = (assetsPath, folder) => openTheme(folder).at(assetsPath);

/**
 * Reads a theme. Renders every sample page of an operator's theme in every language, so that a broken theme stops the start.
 * Tests render the built-in ones: at each start that would take 50 ms.
 * @param folder the operator's theme; undefined for the built-in pages
 * @throws ThemeInvalid
 */
function openTheme(folder: string | undefined): Theme {
  const theme = readTheme(folder);
  const languages: readonly [string, ...string[]] = [
    'en',
    ...[...theme.messages.keys()].filter((tag) => tag !== 'en'),
  ];
  const assets = namedAssets(theme);
  const engines = new Map<string, Liquidjs.Liquid>();
  // An engine takes 7 ms to make, and most servers meet one or two languages.
  const engineOf = (language: string): Liquidjs.Liquid => {
    const engine = engines.get(language) ?? engineFor(theme, language);
    engines.set(language, engine);
    return engine;
  };
  const rendering = (assetsPath: string): Rendering => {
    const addresses = [...assets].map(([name, { file }]) => [file, `${assetsPath}${name}`]);
    const shared = { assets: Object.fromEntries(addresses) as Readonly<Record<string, string>> };
    return (lang, page) =>
      String(
        engineOf(lang).renderFileSync(
          page.kind,
          { page: withoutAbsent(page) },
          { globals: { ...shared, lang } },
        ),
      );
  };
  if (folder !== undefined) {
    const tried = rendering('/assets/');
    for (const language of languages) tryPages((page) => tried(language, page), language, folder);
  }
  return {
    bytes: LANGUAGE_BYTES * languages.length + bytesOf(theme.assets) + bytesOf(theme.templates),
    at(assetsPath) {
      const renderIn = rendering(assetsPath);
      return {
        render: (page, preferred) => renderIn(lookUpLanguage(preferred, languages), page),
        languages,
        asset: (name) => assets.get(name),
      };
    },
  };
}

const bytesOf = (files: ReadonlyMap<string, string>): number =>
  [...files.values()].reduce((sum, text) => sum + textBytes(text), 0);

type Rendering = (language: string, page: Page) => string;

function namedAssets(theme: ThemeFiles): ReadonlyMap<string, PageAsset & { readonly file: string }> {
  return new Map(
    [...theme.assets].map(([file, body]) => {
      const extension = extname(file);
      const digest = hash('sha256', body, 'hex').slice(0, DIGEST_LENGTH);
      const name = `${file.slice(0, -extension.length)}-${digest}${extension}`;
      return [name, { file, body, mediaType: MEDIA_TYPES[extension] ?? 'text/plain; charset=utf-8' }];
    }),
  );
}

/** Returns an engine that escapes everything a template prints, messages included. */
function engineFor(theme: ThemeFiles, language: string): Liquidjs.Liquid {
  // The package takes about 10 ms and some megabytes to load, and a process may never show a page.
  const { Liquid } = createRequire(import.meta.url)('liquidjs') as typeof Liquidjs;
  const messages = theme.messages.get(language) ?? new Map<string, string>();
  const engine = new Liquid({
    templates: Object.fromEntries([...theme.templates].map(([name, text]) => [`${name}.liquid`, text])),
    extname: '.liquid',
    outputEscape: 'escape',
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: true,
    lenientIf: true,
    cache: true,
  });
  const say = (key: string, value: string | number | undefined): string => {
    const message = messages.get(key);
    if (message === undefined) throw new ThemeInvalid(`${language} has no message ${key}`);
    return message.replace('{}', () => String(value ?? ''));
  };
  engine.registerFilter('t', say);
  engine.registerFilter('scope_text', (value: string) => {
    if (isKnownAdminScope(value)) return say(...adminScopeText(value));
    return messages.has(`scope.${value}`) && !SCOPE_FORMS.has(value)
      ? say(`scope.${value}`, '')
      : say('scope.other', value);
  });
  return engine;
}

/** Ends of message keys that are forms of texts, and no scope values. */
const SCOPE_FORMS: ReadonlySet<string> = new Set(['other', 'admin', 'admin_read']);

/** Returns the message for a scope value of the administration, and the area that it names. */
function adminScopeText(value: AdminScope): readonly [key: string, area: string] {
  const [, area = '', act] = value.split(':');
  return [act === 'read' ? 'scope.admin_read' : 'scope.admin', area];
}

/** Replaces absent members with null, because the engine refuses undefined variables as mistakes in a template. */
function withoutAbsent(page: Page): object {
  return Object.fromEntries(Object.entries(page).map(([name, value]) => [name, value ?? null]));
}

function tryPages(render: (page: Page) => string, language: string, folder: string): void {
  for (const [name, page] of Object.entries(SAMPLE_PAGES)) {
    try {
      render(page);
    } catch (cause) {
      const why = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
      throw new ThemeInvalid(`${folder}: ${name} in ${language}: ${why}`, { cause });
    }
  }
}
