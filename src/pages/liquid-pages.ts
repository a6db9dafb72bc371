import { hash } from 'node:crypto';
import { extname } from 'node:path';
import { Liquid } from 'liquidjs';
import { type Page, type PageAsset, type Pages, ThemeInvalid } from '../ports/pages.ts';
import { lookUpLanguage } from '../spec/languages.ts';
import { SAMPLE_PAGES } from './sample-pages.ts';
import { readTheme, type ThemeFiles } from './theme-files.ts';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Characters of the content digest in an asset's name, so that changed content gets a new name. */
const DIGEST_LENGTH = 12;

/**
 * Reads a theme and renders every sample page in every language, so that a broken theme stops the start.
 * @param assetsPath the path that serves the assets, with a slash at the end
 * @param folder the operator's theme; undefined for the built-in pages
 * @throws ThemeInvalid
 */
export function openPages(assetsPath: string, folder: string | undefined): Pages {
  const theme = readTheme(folder);
  const languages: readonly [string, ...string[]] = [
    'en',
    ...[...theme.messages.keys()].filter((tag) => tag !== 'en'),
  ];
  const assets = namedAssets(theme);
  const addresses = Object.fromEntries([...assets].map(([name, { file }]) => [file, `${assetsPath}${name}`]));
  const engines = new Map(languages.map((language) => [language, engineFor(theme, language, addresses)]));
  const renderIn = (language: string, page: Page): string =>
    String(engines.get(language)?.renderFileSync(page.kind, { page: withoutAbsent(page) }));
  for (const language of languages) tryPages((page) => renderIn(language, page), language, folder);
  return {
    render: (page, preferred) => renderIn(lookUpLanguage(preferred, languages), page),
    languages,
    asset: (name) => assets.get(name),
  };
}

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
function engineFor(theme: ThemeFiles, language: string, assets: Readonly<Record<string, string>>): Liquid {
  const messages = theme.messages.get(language) ?? new Map<string, string>();
  const engine = new Liquid({
    templates: Object.fromEntries([...theme.templates].map(([name, text]) => [`${name}.liquid`, text])),
    extname: '.liquid',
    globals: { lang: language, assets },
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
  engine.registerFilter('scope_text', (value: string) =>
    messages.has(`scope.${value}`) && value !== 'other'
      ? say(`scope.${value}`, '')
      : say('scope.other', value),
  );
  return engine;
}

/** Replaces absent members with null, because the engine refuses undefined variables as mistakes in a template. */
function withoutAbsent(page: Page): object {
  return Object.fromEntries(Object.entries(page).map(([name, value]) => [name, value ?? null]));
}

function tryPages(render: (page: Page) => string, language: string, folder: string | undefined): void {
  for (const [name, page] of Object.entries(SAMPLE_PAGES)) {
    try {
      render(page);
    } catch (cause) {
      const why = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
      throw new ThemeInvalid(`${folder ?? 'the theme'}: ${name} in ${language}: ${why}`, { cause });
    }
  }
}
