import { type Below, randomNumbers } from './assertion-mutations.ts';

/** Changes a document in one place; `other` is another document that the same issuer signed. */
type Mutation = (xml: string, below: Below, other: string) => string;

const CHARACTERS = 'abcXYZ019 <>&;"\'/=:#!?-_.\t\n\r\0é\u200b\ufffd]';
const TAGS = /<\/?[A-Za-z][^<>]*>/g;
const NAMES = ['Assertion', 'Issuer', 'Subject', 'NameID', 'Conditions', 'Audience', 'SubjectConfirmation'];

const at = <Item>(items: readonly Item[], below: Below): Item | undefined => items[below(items.length)];

const character = (below: Below): string => CHARACTERS[below(CHARACTERS.length)] ?? '';

const spliced = (text: string, from: number, removed: number, put: string): string =>
  text.slice(0, from) + put + text.slice(from + removed);

/** The whole text of an element that is somewhere in the document. */
function elementOf(xml: string, local: string): string {
  return new RegExp(`<(saml|ds):${local}[ >].*?</\\1:${local}>`, 's').exec(xml)?.[0] ?? '';
}

function atTag(xml: string, below: Below, change: (tag: string) => string): string {
  const tag = at([...xml.matchAll(TAGS)], below);
  return tag === undefined ? xml : spliced(xml, tag.index, tag[0].length, change(tag[0]));
}

/** Between two tags, or between a tag and text. */
function between(xml: string, below: Below, put: string): string {
  return atTag(xml, below, (tag) => (below(2) === 0 ? tag + put : put + tag));
}

const PUT = [
  '<!-- -->',
  '<![CDATA[x]]>',
  '<?x y?>',
  '&amp;',
  '&#65;',
  '&e;',
  ' ',
  '\n',
  'x',
  '<x/>',
  '<saml:NameID>mallory</saml:NameID>',
  '<saml:Audience>https://other.example</saml:Audience>',
];

const MUTATIONS: readonly Mutation[] = [
  (xml, below) => spliced(xml, below(xml.length), 1, character(below)),
  (xml, below) => spliced(xml, below(xml.length), 0, character(below)),
  (xml, below) => spliced(xml, below(xml.length), 1 + below(40), ''),
  (xml, below) => xml.slice(0, below(xml.length)),
  (xml, below) => between(xml, below, at(PUT, below) ?? ''),
  (xml, below) => atTag(xml, below, (tag) => tag + tag),
  (xml, below) => atTag(xml, below, () => ''),
  (xml, below) => atTag(xml, below, (tag) => tag.replace('>', `${' '.repeat(below(3))} x="1">`)),
  (xml, below) => atTag(xml, below, (tag) => tag.replace('>', ' \n>')),
  (xml, below) => atTag(xml, below, (tag) => tag.replace('saml:', 'ds:')),
  (xml, below) => atTag(xml, below, (tag) => tag.toUpperCase()),
  // Replaces an element by that of another assertion, or doubles it.
  (xml, below, other) => {
    const local = at(NAMES, below) ?? '';
    return xml.replace(elementOf(xml, local), () => elementOf(other, local));
  },
  (xml, below, other) => {
    const local = at(NAMES, below) ?? '';
    const own = elementOf(xml, local);
    return xml.replace(own, () =>
      below(2) === 0 ? own + elementOf(other, local) : elementOf(other, local) + own,
    );
  },
  (xml, _, other) => xml.replace(elementOf(xml, 'Signature'), () => elementOf(other, 'Signature')),
  (xml, _, other) => xml.replace(elementOf(xml, 'SignedInfo'), () => elementOf(other, 'SignedInfo')),
  (xml, below, other) => between(xml, below, other),
  (xml, below, other) => between(xml, below, elementOf(other, 'Signature')),
  (xml, below) => {
    const local = at([...NAMES, 'Signature', 'SignedInfo'], below) ?? '';
    const moved = elementOf(xml, local);
    return between(xml.replace(moved, ''), below, moved);
  },
  (xml, below) => {
    const value = at([...xml.matchAll(/"[^"]*"/g)], below);
    const text = value?.[0] ?? '';
    return value === undefined
      ? xml
      : spliced(xml, value.index, text.length, spliced(text, below(text.length), 1, character(below)));
  },
];

/** Returns `count` spoilt copies in base64url; each differs from the original. */
export function samlMutations(xml: string, other: string, count: number, seed: number): readonly string[] {
  const below = randomNumbers(seed);
  const mutants: string[] = [];
  while (mutants.length < count) {
    const once = at(MUTATIONS, below)?.(xml, below, other) ?? xml;
    const mutant = below(4) === 0 ? (at(MUTATIONS, below)?.(once, below, other) ?? once) : once;
    if (mutant !== xml && mutant !== other) mutants.push(mutant);
  }
  return mutants;
}
