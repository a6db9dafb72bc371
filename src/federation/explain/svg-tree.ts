import type { SearchNode, StatementTrace } from '../trust-chain/search-tree.ts';
import { LINE, type Line, textElement, wrapped } from './svg-lines.ts';
import {
  checkName,
  ownReason,
  passedChainWords,
  passedWords,
  reasonWords,
  statementsOf,
  statementTitle,
} from './words.ts';

export const BOX_WIDTH = 364;
export const PADDING = 12;
/** How far a superior stands to the right of its subordinate. */
const STEP = 26;
/** Room for the arrow above a box with superiors, and for its words. */
const ARROW = 40;
const GAP = 14;
/** Where the line to the superiors leaves a box. */
const TRUNK = 13;

export interface Box {
  readonly node: SearchNode;
  readonly lines: readonly Line[];
  readonly x: number;
  readonly y: number;
  readonly height: number;
  readonly superiors: readonly Box[];
}

/** The boxes of a search: the subject at the bottom, its superiors above. */
export interface PlacedTree {
  readonly subject: Box;
  readonly right: number;
  readonly bottom: number;
}

/** Places the boxes below each other: the first superior, with all that is above it, is the nearest to its subordinate. */
export function placedTree(root: SearchNode, left: number, top: number): PlacedTree {
  let right = 0;
  const place = (node: SearchNode, x: number, from: number): Box => {
    let y = from;
    const superiors: Box[] = [];
    for (const superior of node.superiors.toReversed()) {
      const box = place(superior, x + STEP, y);
      superiors.unshift(box);
      y = box.y + box.height + GAP;
    }
    if (superiors.length > 0) y += ARROW - GAP;
    const lines = linesOf(node);
    right = Math.max(right, x + BOX_WIDTH);
    return { node, lines, x, y, height: lines.length * LINE + 2 * PADDING, superiors };
  };
  const subject = place(root, left, top);
  return { subject, right, bottom: subject.y + subject.height };
}

function linesOf(node: SearchNode): readonly Line[] {
  const { chain } = node;
  const reason = ownReason(node);
  return [
    ...wrapped('title', node.entity_id),
    ...(node.is_trust_anchor ? wrapped('plain', 'configured trust anchor') : []),
    ...statementsOf(node).flatMap(statementLines),
    ...(chain === undefined
      ? []
      : chain.reason === undefined
        ? wrapped('held', passedChainWords(chain))
        : wrapped('failed', `✗ chain: ${reasonWords(chain.reason)}`)),
    ...(reason === undefined ? [] : wrapped('failed', `✗ ${reasonWords(reason)}`)),
  ];
}

function statementLines(trace: StatementTrace): readonly Line[] {
  const { checks, reason } = trace;
  if (reason === undefined) return wrapped('held', passedWords(trace));
  const failed = checks.find((check) => check.reason !== undefined);
  const rule = failed === undefined ? '' : ` ${checkName(failed)}`;
  return wrapped('failed', `✗ ${statementTitle(trace)}:${rule} ${reasonWords(reason)}`);
}

/** Draws the tree: connections first, those of the valid chain above the others, then the boxes. */
export function drawnTree({ subject }: PlacedTree): readonly string[] {
  const chosen = wayToAnchor(subject) ?? [];
  const boxes = flattened(subject);
  const links = boxes.flatMap((below) => below.superiors.map((above) => ({ above, below })));
  const isChosen = ({ above }: Link): boolean => chosen.includes(above);
  return [
    ...links.filter((link) => !isChosen(link)).map((link) => connection(link, false)),
    ...links.filter(isChosen).map((link) => connection(link, true)),
    ...boxes.filter(({ superiors }) => superiors.some(vouches)).map(vouchingWords),
    ...boxes.flatMap((box) => drawnBox(box, chosen.includes(box))),
  ];
}

function flattened(box: Box): readonly Box[] {
  return [box, ...box.superiors.flatMap(flattened)];
}

/** Returns the boxes of the valid chain, from the subject to the trust anchor; undefined without one. */
function wayToAnchor(box: Box): readonly Box[] | undefined {
  const { chain } = box.node;
  if (chain !== undefined && chain.reason === undefined) return [box];
  for (const superior of box.superiors) {
    const way = wayToAnchor(superior);
    if (way !== undefined) return [box, ...way];
  }
  return undefined;
}

interface Link {
  readonly above: Box;
  readonly below: Box;
}

/** Says whether a superior has a valid statement about its subordinate. */
function vouches({ node: { statement } }: Box): boolean {
  return statement !== undefined && statement.reason === undefined;
}

/** An arrow from a superior to the entity that it vouches for; a dashed line if it does not vouch. */
function connection({ above, below }: Link, chosen: boolean): string {
  const [x, y] = [below.x + TRUNK, above.y + above.height / 2];
  const path = `M${above.x} ${y}H${x}V${below.y - 2}`;
  if (!vouches(above)) return `<path class="link none" d="${path}"/>`;
  const [kind, head] = chosen ? ['link chain', 'chain-head'] : ['link', 'head'];
  return `<path class="${kind}" marker-end="url(#${head})" d="${path}"/>`;
}

function vouchingWords({ x, y }: Box): string {
  return textElement({ kind: 'note', text: 'vouches for' }, x + TRUNK + 12, y - 14);
}

function drawnBox({ node, lines, x, y, height }: Box, chosen: boolean): readonly string[] {
  const isDead = !chosen && node.reason !== undefined && node.superiors.length === 0;
  const kind = chosen ? ' chain' : isDead ? ' dead' : '';
  return [
    `<rect class="box${kind}" x="${x}" y="${y}" width="${BOX_WIDTH}" height="${height}" rx="6"/>`,
    ...drawnLines(lines, x, y),
  ];
}

export function drawnLines(lines: readonly Line[], x: number, y: number): readonly string[] {
  return lines.map((line, index) => textElement(line, x + PADDING, y + PADDING + 13 + index * LINE));
}
