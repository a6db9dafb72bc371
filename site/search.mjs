import MiniSearch from './minisearch.js';

const { root } = document.querySelector('script[data-root]').dataset;
const input = document.querySelector('#search');
const found = document.querySelector('#found');
let index;

/** Loads the index when it is first needed: it is larger than any page. */
async function loaded() {
  index ??= fetch(new URL('search.json', import.meta.url))
    .then(async (answer) => await answer.text())
    .then((text) =>
      MiniSearch.loadJSON(text, {
        fields: ['title', 'heading', 'text'],
        storeFields: ['title', 'heading', 'href'],
      }),
    );
  return await index;
}

async function show() {
  const words = input.value.trim();
  const search = await loaded();
  if (words !== input.value.trim()) return;
  const results = search.search(words, {
    prefix: true,
    fuzzy: 0.1,
    boost: { title: 3, heading: 2 },
    combineWith: 'AND',
  });
  found.replaceChildren(...results.slice(0, 12).map(entry));
  found.hidden = words === '';
  if (words !== '' && results.length === 0) found.textContent = 'Nothing found';
}

function entry({ title, heading, href }) {
  const link = Object.assign(document.createElement('a'), { href: root + href, textContent: heading });
  if (heading !== title) link.append(Object.assign(document.createElement('small'), { textContent: title }));
  const item = document.createElement('li');
  item.append(link);
  return item;
}

input.addEventListener('focus', () => void loaded());
input.addEventListener('input', () => void show());
const menu = document.querySelector('nav details');
if (matchMedia('(max-width: 60rem)').matches) menu.removeAttribute('open');
