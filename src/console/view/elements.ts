import {
  type AllHTMLAttributes,
  type ComponentChildren,
  type ComponentType,
  h,
  type JSX,
  type VNode,
} from 'preact';

/** The attributes of an element, and what a list of elements needs to tell them apart. */
type Attributes<Name extends keyof JSX.IntrinsicElements> = JSX.IntrinsicElements[Name];

type Maker<Name extends keyof JSX.IntrinsicElements> = (
  attributes: Attributes<Name> | null,
  ...children: ComponentChildren[]
) => VNode;

/** Returns a function that makes elements: the sources run in a browser without a compiler, so they have no JSX (ADR 85). */
const maker =
  <Name extends keyof JSX.IntrinsicElements>(name: Name): Maker<Name> =>
  (attributes, ...children) =>
    h(name as string, attributes as null, ...children);

/** Makes an element of a component with a state of its own. */
export function component<Props extends object>(
  type: ComponentType<Props>,
  props: Props & { readonly key?: string },
): VNode {
  return h(type, props) as VNode;
}

export const a = maker('a');
export const article = maker('article');
export const aside = maker('aside');
export const button = maker('button');
export const code = maker('code');
export const dd = maker('dd');
export const details = maker('details');
export const dialogElement = maker('dialog');
export const div = maker('div');
export const dl = maker('dl');
export const dt = maker('dt');
export const fieldset = maker('fieldset');
export const footer = maker('footer');
export const form = maker('form');
export const g = maker('g');
export const h1 = maker('h1');
export const h2 = maker('h2');
export const h3 = maker('h3');
export const header = maker('header');
/** Its type need not be known to the compiler. */
export const input: (attributes: AllHTMLAttributes<HTMLInputElement>) => VNode = maker('input') as never;
export const label = maker('label');
export const legend = maker('legend');
export const li = maker('li');
export const main = maker('main');
export const nav = maker('nav');
export const ol = maker('ol');
export const option = maker('option');
export const p = maker('p');
export const path = maker('path');
export const pre = maker('pre');
export const section = maker('section');
export const select = maker('select');
export const small = maker('small');
export const span = maker('span');
export const strong = maker('strong');
export const summary = maker('summary');
export const svg = maker('svg');
export const svgCircle = maker('circle');
export const svgText = maker('text');
export const svgTitle = maker('title');
export const table = maker('table');
export const tbody = maker('tbody');
export const td = maker('td');
export const textarea = maker('textarea');
export const th = maker('th');
export const thead = maker('thead');
export const time = maker('time');
export const tr = maker('tr');
export const ul = maker('ul');
