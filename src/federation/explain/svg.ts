import type { Resolution } from '../trust-chain/resolve-trust.ts';
import type { SearchNode, StatementTrace } from '../trust-chain/search-tree.ts';
import { checkName, plain, reasonWords, shortened, statementsOf, statementTitle, timeOf } from './words.ts';

const BOX_WIDTH = 380;
const COLUMN = BOX_WIDTH + 70;
const LINE = 18;
const PADDING = 12;
const GAP = 18;
const MARGIN = 24;
const HEADER = 56;
/** Characters of one line in a box, in a monospaced font of 12 units. */
const LINE_LENGTH = 49;

interface Line {
  readonly text: string;
  readonly kind: 'title' | 'held' | 'failed' | 'plain';
}

interface Box {
  readonly node: SearchNode;
  readonly lines: readonly Line[];
  readonly x: number;
  readonly y: number;
  readonly height: number;
  readonly above: readonly Box[];
}

/** Renders the search as a picture: the subject on the left, its superiors to the right, the valid chain in green. */
export function resolutionAsSvg(resolution: Resolution): string {
  const { search, chain } = resolution;
  const { box, bottom } = placed(search, 0, HEADER + MARGIN);
  const boxes = flattened(box);
  const width = Math.max(...boxes.map(({ x }) => x)) + BOX_WIDTH + MARGIN;
  const height = bottom + MARGIN;
  const chosen =
    chain === undefined
      ? undefined
      : wayTo(box, ({ chain: trace }) => trace !== undefined && trace.reason === undefined);
  const isChosen = (one: Box): boolean => chosen?.includes(one) === true;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(headline(resolution))}</title>`,
    `<style>text{font:12px monospace;fill:#1d2430}.title{font-weight:bold}.held{fill:#1a6b34}.failed{fill:#a4161a}.head{font:bold 16px sans-serif}</style>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text class="head" x="${MARGIN}" y="${MARGIN + 14}">${escaped(headline(resolution))}</text>`,
    ...(resolution.reason === undefined
      ? []
      : [
          `<text class="failed" x="${MARGIN}" y="${MARGIN + 36}">${escaped(reasonWords(resolution.reason))}</text>`,
        ]),
    ...boxes.flatMap((one) =>
      one.above.map((other) => connection(one, other, isChosen(one) && isChosen(other))),
    ),
    ...boxes.flatMap((one) => drawn(one, isChosen(one))),
    '</svg>',
    '',
  ].join('\n');
}

function headline({ search, chain }: Resolution): string {
  return chain === undefined
    ? `${search.entity_id}: no trust chain`
    : `${search.entity_id}: trusted through ${chain.trust_anchor} until ${timeOf(chain.expires_at)}`;
}

/** Places a node and its superiors. A box has the height of its first superior, and the other superiors stand below that. */
function placed(
  node: SearchNode,
  depth: number,
  top: number,
): { readonly box: Box; readonly bottom: number } {
  const lines = linesOf(node);
  const height = lines.length * LINE + 2 * PADDING;
  const above: Box[] = [];
  let next = top;
  for (const superior of node.superiors) {
    const { box, bottom } = placed(superior, depth + 1, next);
    above.push(box);
    next = bottom + GAP;
  }
  const box = { node, lines, x: MARGIN + depth * COLUMN, y: top, height, above };
  return { box, bottom: Math.max(top + height, next - GAP) };
}

function linesOf(node: SearchNode): readonly Line[] {
  const { chain, reason } = node;
  return [
    ...wrapped('title', node.entity_id),
    ...(node.is_trust_anchor ? wrapped('plain', 'configured trust anchor') : []),
    ...statementsOf(node).flatMap(statementLines),
    ...(chain === undefined
      ? []
      : wrapped(
          chain.reason === undefined ? 'held' : 'failed',
          chain.reason === undefined
            ? `✓ chain: ${chain.checks.length} checks, ${chain.policy.length} policy operators`
            : `✗ chain: ${reasonWords(chain.reason)}`,
        )),
    ...(reason === undefined || statementsOf(node).some((trace) => trace.reason === reason)
      ? []
      : wrapped('failed', reasonWords(reason))),
  ];
}

function statementLines(trace: StatementTrace): readonly Line[] {
  const { checks, expires_at, reason } = trace;
  if (reason === undefined) {
    const until = expires_at === undefined ? '' : ` until ${timeOf(expires_at)}`;
    return wrapped('held', `✓ ${statementTitle(trace)}: ${checks.length} checks${until}`);
  }
  const failed = checks.find((check) => check.reason !== undefined);
  const rule = failed === undefined ? '' : ` ${checkName(failed)}`;
  return wrapped('failed', `✗ ${statementTitle(trace)}:${rule} ${reasonWords(reason)}`);
}

const LINES_MAX = 5;

function wrapped(kind: Line['kind'], given: string): readonly Line[] {
  const text = shortened(plain(given), LINE_LENGTH * LINES_MAX - LINES_MAX * 2);
  const lines =
    text.match(new RegExp(`.{1,${LINE_LENGTH - 2}}(?:\\s|$)|.{1,${LINE_LENGTH - 2}}`, 'gu')) ?? [];
  return lines.map((line, index) => ({ kind, text: (index === 0 ? '' : '  ') + line.trimEnd() }));
}

function flattened(box: Box): readonly Box[] {
  return [box, ...box.above.flatMap(flattened)];
}

function wayTo(box: Box, isGoal: (node: SearchNode) => boolean): readonly Box[] | undefined {
  if (isGoal(box.node)) return [box];
  for (const above of box.above) {
    const way = wayTo(above, isGoal);
    if (way !== undefined) return [box, ...way];
  }
  return undefined;
}

function connection(from: Box, to: Box, chosen: boolean): string {
  const [x1, y1, x2, y2] = [from.x + BOX_WIDTH, from.y + 22, to.x, to.y + 22];
  const middle = (x1 + x2) / 2;
  const stroke = chosen ? 'stroke="#2a9d4a" stroke-width="3"' : 'stroke="#9aa3b2" stroke-width="1.5"';
  return `<path d="M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}" fill="none" ${stroke}/>`;
}

function drawn({ node, lines, x, y, height }: Box, chosen: boolean): readonly string[] {
  const isDead = node.reason !== undefined && node.superiors.length === 0 && !chosen;
  const [fill, stroke] = chosen
    ? ['#eefaf1', '#2a9d4a']
    : isDead
      ? ['#fdf1f1', '#c1666b']
      : ['#f6f7f9', '#9aa3b2'];
  return [
    `<rect x="${x}" y="${y}" width="${BOX_WIDTH}" height="${height}" rx="6" fill="${fill}" stroke="${stroke}"/>`,
    ...lines.map(
      ({ text, kind }, index) =>
        `<text class="${kind}" xml:space="preserve" x="${x + PADDING}" y="${y + PADDING + 13 + index * LINE}">${escaped(text)}</text>`,
    ),
  ];
}

/** Escapes a text for XML. Entity identifiers and reasons contain text of other parties. */
function escaped(text: string): string {
  const NAMES: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return plain(text).replaceAll(/[&<>"']/g, (character) => NAMES[character] ?? character);
}
