// Builds the static site from docs/. `npm run site` runs it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix, relative } from 'node:path';
import MiniSearch from 'minisearch';

const SITE = import.meta.dirname;
const DOCS = join(SITE, '../docs');
/** Characters of a section that search knows. */
const SECTION_LENGTH = 600;

const titleOf = (text) => /^# (.+)$/mu.exec(text)?.[1]?.replaceAll('`', '') ?? 'Chancery';
const slug = (text) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/gu, '-');

export default function configure(eleventy) {
  eleventy.setUseGitIgnore(false);
  eleventy.addGlobalData('layout', 'page.liquid');
  eleventy.addGlobalData(
    'permalink',
    () =>
      ({ page }) =>
        outputOf(page.inputPath),
  );
  eleventy.addGlobalData('eleventyComputed', {
    title: ({ page }) => titleOf(page.rawInput),
    root: ({ page }) => '../'.repeat(outputOf(page.inputPath).split('/').length - 1) || './',
    beside: ({ collections, page }) =>
      (collections.all ?? [])
        .filter((other) => dirname(other.inputPath) === dirname(page.inputPath))
        .map((other) => ({
          href: basename(outputOf(other.inputPath)),
          title: titleOf(other.page.rawInput),
          current: other.inputPath === page.inputPath,
        })),
  });
  eleventy.addPassthroughCopy({ 'docs/images': 'images', 'docs/reference/*.json': 'reference' });
  eleventy.addPassthroughCopy({
    [relative('.', join(SITE, 'site.css'))]: 'site.css',
    [relative('.', join(SITE, 'search.mjs'))]: 'search.mjs',
    [relative('.', join(SITE, 'node_modules/minisearch/dist/es/index.js'))]: 'minisearch.js',
  });
  eleventy.amendLibrary('md', (markdown) => {
    markdown.set({ html: true });
    markdown.core.ruler.push('chancery', (state) => amend(state));
    markdown.renderer.rules.table_open = () => '<div class="wide"><table>';
    markdown.renderer.rules.table_close = () => '</table></div>';
  });
  eleventy.on('eleventy.after', ({ directories, results }) => writeIndex(directories.output, results));
  return {
    markdownTemplateEngine: false,
    templateFormats: ['md'],
    dir: { includes: '../site/layouts' },
  };
}

/** The page of a document; a README is the page of its folder. */
function outputOf(inputPath) {
  return relative(DOCS, inputPath)
    .replace(/README\.md$/u, 'index.md')
    .replace(/\.md$/u, '.html');
}

/** Gives headings names as GitHub does, and leads links to pages. */
function amend({ tokens, env }) {
  const folder = posix.dirname(relative(DOCS, env.page.inputPath));
  for (const [place, token] of tokens.entries()) {
    if (token.type === 'heading_open') token.attrSet('id', slug(textOf(tokens[place + 1])));
    for (const child of token.children ?? []) if (child.type === 'link_open') relink(child, folder);
  }
}

const textOf = ({ children }) => children.map(({ content }) => content).join('');

function relink(token, folder) {
  const href = token.attrGet('href');
  if (/^(?:[a-z]+:|#)/u.test(href)) return;
  const [path, hash] = href.split('#');
  const target = posix.normalize(posix.join(folder, path));
  const page = /(?:^|\/)[^./]+$|\/$/u.test(target) ? posix.join(target, 'README.md') : target;
  if (page.startsWith('..') || !existsSync(join(DOCS, page))) {
    // A file of the checkout, which the site does not have.
    token.attrs = [
      ['class', 'source'],
      ['title', posix.join('docs', target)],
    ];
    return;
  }
  const html = page.endsWith('.md') ? outputOf(join(DOCS, page)) : page;
  const way = posix.relative(folder, html);
  token.attrSet('href', hash === undefined ? way : `${way}#${hash}`);
}

/** Writes the index of the search: each section of each page. */
function writeIndex(output, results) {
  const search = new MiniSearch({
    fields: ['title', 'heading', 'text'],
    storeFields: ['title', 'heading', 'href'],
  });
  const sections = results.flatMap(({ inputPath }) => sectionsOf(inputPath));
  search.addAll(sections.map((section, id) => ({ id, ...section })));
  mkdirSync(output, { recursive: true });
  writeFileSync(join(output, 'search.json'), JSON.stringify(search));
}

function sectionsOf(inputPath) {
  const text = readFileSync(inputPath, 'utf8');
  const [title, page] = [titleOf(text), outputOf(inputPath)];
  return text.split(/^(?=#{1,3} )/mu).map((section) => {
    const heading = (/^#{1,3} (.+)$/mu.exec(section)?.[1] ?? title).replaceAll('`', '');
    const anchor = heading === title ? '' : `#${slug(heading)}`;
    return { title, heading, href: page + anchor, text: section.slice(0, SECTION_LENGTH) };
  });
}
