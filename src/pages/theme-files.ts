import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { ThemeInvalid } from '../ports/pages.ts';

/** The files of a theme, by name without extension. Assets keep their extension. */
export interface ThemeFiles {
  readonly templates: ReadonlyMap<string, string>;
  /** Messages by language tag, in lower case. */
  readonly messages: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly assets: ReadonlyMap<string, string>;
}

const OWN_FOLDER = join(import.meta.dirname, 'theme');

/** A theme cannot bring scripts: the content security policy would block them. */
const THEME_ASSETS = new Set(['.css', '.svg']);
const LANGUAGE = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/;

/** Returns the built-in files, each replaced by the file of the same name in `folder`. */
export function readTheme(folder: string | undefined): ThemeFiles {
  const own = readFolder(OWN_FOLDER, () => true);
  if (folder === undefined) return own;
  if (!existsSync(folder)) throw new ThemeInvalid(`${folder} does not exist`);
  const theirs = readFolder(folder, (name) => THEME_ASSETS.has(extname(name)));
  const strange = [...theirs.templates.keys()].find((name) => !own.templates.has(name));
  if (strange !== undefined)
    throw new ThemeInvalid(
      `${folder}/templates/${strange}.liquid: is not a page; a theme can replace the built-in templates only`,
    );
  return {
    templates: new Map([...own.templates, ...theirs.templates]),
    messages: mergedMessages(own.messages, theirs.messages, folder),
    assets: new Map([...own.assets, ...theirs.assets]),
  };
}

/** Returns the templates that the operator's theme replaces, by name. */
export const ownTemplates = (folder: string): ReadonlyMap<string, string> =>
  texts(join(folder, 'templates'), '.liquid');

function readFolder(folder: string, isAsset: (name: string) => boolean): ThemeFiles {
  const templates = texts(join(folder, 'templates'), '.liquid');
  const messages = [...texts(join(folder, 'messages'), '.json')].map(
    ([language, text]) =>
      [language, readMessages(join(folder, 'messages', `${language}.json`), text)] as const,
  );
  const assets = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && isAsset(entry.name))
    .map(({ name }) => [name, readFileSync(join(folder, name), 'utf8')] as const);
  return { templates, messages: new Map(messages), assets: new Map(assets) };
}

function texts(folder: string, extension: string): ReadonlyMap<string, string> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder).filter((name) => extname(name) === extension);
  return new Map(
    names.map((name) => [name.slice(0, -extension.length), readFileSync(join(folder, name), 'utf8')]),
  );
}

function readMessages(path: string, text: string): ReadonlyMap<string, string> {
  const language = path.slice(path.lastIndexOf('/') + 1, -'.json'.length);
  if (!LANGUAGE.test(language))
    throw new ThemeInvalid(`${path}: is not named by a language tag in lower case`);
  let members: unknown;
  try {
    members = JSON.parse(text);
  } catch {
    throw new ThemeInvalid(`${path}: is not JSON`);
  }
  if (typeof members !== 'object' || members === null || Array.isArray(members)) {
    throw new ThemeInvalid(`${path}: is not a JSON object`);
  }
  const messages = Object.entries(members).map(([key, message]): [string, string] => {
    if (typeof message !== 'string') throw new ThemeInvalid(`${path}: ${key} is not a string`);
    return [key, message];
  });
  return new Map(messages);
}

/** Returns a theme's messages over the built-in ones of the same language, over the English ones. A theme may add languages. */
function mergedMessages(
  own: ThemeFiles['messages'],
  theirs: ThemeFiles['messages'],
  folder: string,
): ThemeFiles['messages'] {
  const english = own.get('en') ?? new Map<string, string>();
  const merged = new Map(own);
  for (const [language, messages] of theirs) {
    const strange = [...messages.keys()].find((key) => !english.has(key) && !key.startsWith('scope.'));
    if (strange !== undefined)
      throw new ThemeInvalid(
        `${folder}/messages/${language}.json: ${strange}: is not a message of the built-in pages`,
      );
    merged.set(language, new Map([...english, ...(own.get(language) ?? []), ...messages]));
  }
  return merged;
}
