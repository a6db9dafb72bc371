import type { Reply } from './http.ts';

/** A page that a browser shows. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly html: string;
  readonly headers: Reply['headers'];
}

export interface Form {
  readonly action: string;
  readonly method: string;
  /** Its own text. */
  readonly html: string;
  /** Names and values of its hidden fields. */
  readonly hidden: Readonly<Record<string, string>>;
}

/** Returns the forms of a page as a browser without scripts reads them. Buttons and visible fields are for the caller. */
export function formsOf({ url, html }: Page): readonly Form[] {
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gis)].map(([, attributes = '', content = '']) => ({
    action: new URL(attribute(attributes, 'action') ?? url, url).href,
    method: (attribute(attributes, 'method') ?? 'get').toUpperCase(),
    html: content,
    hidden: hiddenFields(content),
  }));
}

function hiddenFields(html: string): Record<string, string> {
  const hidden = [...html.matchAll(/<input\b([^>]*)>/gis)]
    .map(([, attributes = '']) => attributes)
    .filter((attributes) => attribute(attributes, 'type')?.toLowerCase() === 'hidden');
  return Object.fromEntries(
    hidden.map((attributes) => [attribute(attributes, 'name') ?? '', attribute(attributes, 'value') ?? '']),
  );
}

/** Returns where the elements of a name point, absolute: `img` by `src`, `a` by `href`, `iframe` by `src`. */
export function addressesOf({ url, html }: Page, element: 'img' | 'a' | 'iframe'): readonly string[] {
  const name = element === 'a' ? 'href' : 'src';
  const found = [...html.matchAll(new RegExp(`<${element}\\b([^>]*)>`, 'gis'))];
  return found.flatMap(([, attributes = '']) => {
    const address = attribute(attributes, name);
    return address === undefined ? [] : [new URL(address, url).href];
  });
}

/** Returns where `<meta http-equiv="refresh">` leads, if a page has one. */
export function refreshOf({ url, html }: Page): string | undefined {
  const [, attributes] = /<meta\b([^>]*http-equiv=["']?refresh[^>]*)>/is.exec(html) ?? [];
  const address = /url=(.*)$/is.exec(attribute(attributes ?? '', 'content') ?? '')?.[1];
  return address === undefined ? undefined : new URL(address.trim(), url).href;
}

function attribute(attributes: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(
    attributes,
  );
  const value = found?.[1] ?? found?.[2] ?? found?.[3];
  return value === undefined ? undefined : unescaped(value);
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function unescaped(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]+)|#(\d+)|(lt|gt|quot|apos|amp));/gi, (_, hex, decimal, name) => {
    if (name !== undefined) return NAMED[String(name).toLowerCase()] ?? '';
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16));
  });
}
