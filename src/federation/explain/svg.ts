import type { Explained } from './explained.ts';
import { changeWords, type FinalEntityType, finalMetadata } from './final-metadata.ts';
import { escaped, LINE, type Line, textElement, wrapped } from './svg-lines.ts';
import { BOX_WIDTH, drawnLines, drawnTree, PADDING, placedTree } from './svg-tree.ts';
import { headline, reasonWords, valueWords } from './words.ts';

const MARGIN = 16;
const GAP = 20;

/** Works without the page around it: a browser shows the picture on paper or in the dark. */
const STYLE = [
  'svg{--paper:#fff;--ink:#1d2430;--quiet:#5c6675;--line:#8a94a4;--box:#f6f7f9;--good:#1a6b34;--good-box:#eefaf1;--good-line:#2a9d4a;--bad:#a4161a;--bad-box:#fdf1f1;--bad-line:#c1666b;color-scheme:light dark}',
  '@media(prefers-color-scheme:dark){svg{--paper:#14181f;--ink:#e6e9ee;--quiet:#a3adbb;--line:#77828f;--box:#1d232c;--good:#7fdc9c;--good-box:#13281b;--good-line:#3fae62;--bad:#ff9c9c;--bad-box:#2e1719;--bad-line:#c1666b}}',
  'text{font:12px ui-monospace,monospace;fill:var(--ink)}.title,.head{font-weight:bold}.held{fill:var(--good)}.failed{fill:var(--bad)}.note{fill:var(--quiet)}',
  '.paper{fill:var(--paper)}.box{fill:var(--box);stroke:var(--line)}.box.chain{fill:var(--good-box);stroke:var(--good-line)}.box.dead{fill:var(--bad-box);stroke:var(--bad-line)}',
  '.link{fill:none;stroke:var(--line);stroke-width:1.5}.link.chain{stroke:var(--good-line);stroke-width:3}.link.none{stroke:var(--bad-line);stroke-dasharray:4 4}',
  '#head path{fill:var(--line)}#chain-head path{fill:var(--good-line)}',
].join('');

/** The marker's size is in units of the picture, so that both heads look alike whatever the width of their line is. */
const marker = (id: string): string =>
  `<marker id="${id}" viewBox="0 0 10 10" refX="9" refY="5" markerUnits="userSpaceOnUse" markerWidth="12" markerHeight="12" orient="auto"><path d="M0 0L10 5L0 10z"/></marker>`;

/** Something drawn, and where it ends. */
interface Drawn {
  readonly elements: readonly string[];
  readonly bottom: number;
}

/**
 * Renders the search as a picture as narrow as a phone: the trust anchor at the top, each superior above the entity that it
 * vouches for, then the resulting metadata and a key.
 */
export function resolutionAsSvg(resolution: Explained): string {
  const { reason } = resolution;
  const title = headline(resolution);
  const head = drawnText(
    [...wrapped('title', title), ...(reason === undefined ? [] : wrapped('failed', reasonWords(reason)))],
    MARGIN,
  );
  const tree = placedTree(resolution.search, MARGIN, head.bottom + GAP);
  const panels: string[] = [];
  let { bottom } = tree;
  for (const type of finalMetadata(resolution)) {
    const drawn = drawnPanel(metadataLines(type), bottom + GAP);
    panels.push(...drawn.elements);
    ({ bottom } = drawn);
  }
  const key = drawnKey(bottom + GAP);
  const [width, height] = [tree.right + MARGIN, key.bottom + MARGIN];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" style="max-width:100%;height:auto" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<defs>${marker('head')}${marker('chain-head')}</defs>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...head.elements,
    ...drawnTree(tree),
    ...panels,
    ...key.elements,
    '</svg>',
    '',
  ].join('\n');
}

function drawnText(lines: readonly Line[], top: number): Drawn {
  const elements = lines.map((line, index) => textElement(line, MARGIN, top + 13 + index * LINE));
  return { elements, bottom: top + lines.length * LINE };
}

function drawnPanel(lines: readonly Line[], top: number): Drawn {
  const height = lines.length * LINE + 2 * PADDING;
  return {
    elements: [
      `<rect class="box" x="${MARGIN}" y="${top}" width="${BOX_WIDTH}" height="${height}"/>`,
      ...drawnLines(lines, MARGIN, top),
    ],
    bottom: top + height,
  };
}

function metadataLines({ entity_type, members }: FinalEntityType): readonly Line[] {
  return [
    ...wrapped('title', `Resulting ${entity_type}`),
    ...members.flatMap(({ name, value, changes }) => [
      ...wrapped('plain', `${name}: ${valueWords(value)}`),
      ...changes.flatMap((step) => wrapped('held', `↳ ${changeWords(step)}`, 2)),
    ]),
  ];
}

/** The symbols and words of the key, each drawn as in the picture. */
const KEY: readonly { readonly symbol: (y: number) => string; readonly words: string }[] = [
  {
    symbol: (y) => `<path class="link chain" marker-end="url(#chain-head)" d="M${MARGIN} ${y}h30"/>`,
    words: 'vouches for; the valid chain',
  },
  {
    symbol: (y) => `<path class="link" marker-end="url(#head)" d="M${MARGIN} ${y}h30"/>`,
    words: 'vouches for; not on the valid chain',
  },
  {
    symbol: (y) => `<path class="link none" d="M${MARGIN} ${y}h30"/>`,
    words: 'named as a superior, does not vouch',
  },
  { symbol: (y) => mark('held', '✓', y), words: 'passed' },
  { symbol: (y) => mark('failed', '✗', y), words: 'failed, with the reason' },
  { symbol: (y) => mark('held', '↳', y), words: 'changed by a policy operator' },
];

const mark = (kind: Line['kind'], text: string, y: number): string =>
  textElement({ kind, text }, MARGIN + 11, y + 4);

function drawnKey(top: number): Drawn {
  const elements = KEY.flatMap(({ symbol, words }, index) => {
    const y = top + 9 + index * LINE;
    return [symbol(y), textElement({ kind: 'note', text: words }, MARGIN + 42, y + 4)];
  });
  return { elements, bottom: top + KEY.length * LINE };
}
