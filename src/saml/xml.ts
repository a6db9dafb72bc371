/** An element of a document that has only elements, attributes and text. */
export interface XmlElement {
  /** Empty if it has none. */
  readonly namespace: string;
  readonly local: string;
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlElement[];
  /** Its own character data, without its children's. */
  readonly text: string;
  /** Its place in the document. */
  readonly source: Source;
}

interface Source {
  readonly start: number;
  readonly end: number;
  readonly qname: string;
  /** Namespaces by prefix that enclosing elements declare and it does not redeclare. */
  readonly inherited: ReadonlyMap<string, string>;
}

interface XmlAttribute {
  /** Empty without a prefix: an attribute does not inherit its element's namespace (Namespaces in XML 1.0 §6.2). */
  readonly namespace: string;
  readonly local: string;
  readonly value: string;
}

/** Refuses a document that does not have the accepted form. */
export class XmlRefused extends Error {
  override readonly name = 'XmlRefused';
}

const DEPTH_MAX = 32;
const ELEMENTS_MAX = 2000;
const ATTRIBUTES_MAX = 64;
/** In scope of one element. Elements copy their scope, so without this limit the time grows with the square of the length. */
const NAMESPACES_MAX = 64;

const XMLNS = 'http://www.w3.org/2000/xmlns/';
const RESERVED: ReadonlyMap<string, string> = new Map([
  ['xml', 'http://www.w3.org/XML/1998/namespace'],
  ['xmlns', XMLNS],
]);

const DECLARATION =
  /^<\?xml[ \t\r\n]+version=(?:"1\.0"|'1\.0')(?:[ \t\r\n]+encoding=(?:"utf-8"|'utf-8'))?(?:[ \t\r\n]+standalone=(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>/i;

// XML allows names outside ASCII; SAML has none.
const NAME = '[A-Za-z_][A-Za-z0-9_.-]*';
const QNAME = `${NAME}(?::${NAME})?`;
const SPACE = '[ \\t\\r\\n]';
const TAG = new RegExp(
  `<(${QNAME})((?:${SPACE}+${QNAME}${SPACE}*=${SPACE}*(?:"[^"<]*"|'[^'<]*'))*)${SPACE}*(/?)>`,
  'y',
);
const ATTRIBUTE = new RegExp(`(${QNAME})${SPACE}*=${SPACE}*(?:"([^"]*)"|'([^']*)')`, 'g');
// XML allows space in an end tag. xmldom 0.8 misreads such an element as empty, and no known issuer writes it.
const END = new RegExp(`</(${QNAME})>`, 'y');
const TEXT = /[^<]+/y;
const BLANKS = ' \t\r\n';
const BLANK = /^[ \t\r\n]*$/;

/** XML 1.0 §2.2, Char. */
const NO_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));|&/g;
const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

type Scope = ReadonlyMap<string, string>;

interface Open {
  readonly scope: Scope;
  readonly element: XmlElement & {
    text: string;
    readonly children: XmlElement[];
    readonly source: Source & { end: number };
  };
}

/** Removes the XML declaration and the white space around the root. */
export function withoutDeclaration(document: string): string {
  // An expression for white space at the end would start anew at each space inside: quadratic time.
  let end = document.length;
  while (end > 0 && BLANKS.includes(document.charAt(end - 1))) end -= 1;
  return document
    .slice(0, end)
    .replace(DECLARATION, '')
    .replace(/^[ \t\r\n]+/, '');
}

/**
 * Reads a namespace-well-formed document of elements, attributes and text. Refuses everything that two parsers may read
 * differently: document types and the entities they declare, comments (which split text), CDATA sections, processing
 * instructions. All XML parsers read an accepted document alike.
 * @throws XmlRefused
 */
export function parseXml(document: string): XmlElement {
  if (NO_CHARACTER.test(document)) throw new XmlRefused('a character that XML does not have');
  const open: Open[] = [];
  let root: XmlElement | undefined;
  let elements = 0;
  let at = 0;
  while (at < document.length) {
    const parent = open.at(-1);
    const started = matchAt(TAG, document, at);
    const matched = started ?? matchAt(END, document, at) ?? matchAt(TEXT, document, at);
    if (matched === undefined) throw new XmlRefused('neither an element nor text');
    at += matched[0].length;
    if (started !== undefined) {
      elements += 1;
      if (root !== undefined && parent === undefined) throw new XmlRefused('two roots');
      if (elements > ELEMENTS_MAX || open.length >= DEPTH_MAX) throw new XmlRefused('too many elements');
      const opened = openElement(started, parent?.scope ?? RESERVED, at);
      root ??= opened.element;
      parent?.element.children.push(opened.element);
      if (started[3] === '') open.push(opened);
    } else if (parent === undefined) throw new XmlRefused('something outside the root');
    else if (matched[1] === undefined) parent.element.text += characterData(matched[0]);
    else closeElement(open.pop(), matched[1], at);
  }
  if (root === undefined || open.length > 0) throw new XmlRefused('no root, or one without end');
  return root;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** @param end the end of its start tag, which is also the element's end if it is empty */
function openElement(started: RegExpExecArray, outer: Scope, end: number): Open {
  const [, qname = '', attributes = ''] = started;
  const given = [...attributes.matchAll(ATTRIBUTE)].map(
    ([, name = '', double, single]) => [name, attributeValue(double ?? single ?? '')] as const,
  );
  if (given.length > ATTRIBUTES_MAX) throw new XmlRefused('too many attributes');
  if (new Set(given.map(([name]) => name)).size < given.length) throw new XmlRefused('an attribute twice');
  const scope = scopeWith(outer, given);
  const own = given
    .filter(([name]) => !isDeclaration(name))
    .map(([name, value]) => attribute(name, value, scope));
  const expanded = own.map(({ namespace, local }) => `${namespace} ${local}`);
  if (new Set(expanded).size < own.length) throw new XmlRefused('an attribute twice under two prefixes');
  const [prefix, local] = split(qname);
  const namespace = prefix === '' ? (scope.get('') ?? '') : declared(scope, prefix);
  const inherited = new Map(
    [...outer].filter(
      ([name]) => !given.some(([each]) => each === `xmlns:${name}` || (name === '' && each === 'xmlns')),
    ),
  );
  const source = { start: started.index, end, qname, inherited };
  return { scope, element: { namespace, local, attributes: own, children: [], text: '', source } };
}

function closeElement(opened: Open | undefined, qname: string, end: number): void {
  if (opened?.element.source.qname !== qname) throw new XmlRefused('an end without its beginning');
  opened.element.source.end = end;
}

const isDeclaration = (name: string): boolean => name === 'xmlns' || name.startsWith('xmlns:');

/** Adds declarations to a scope. Namespaces in XML 1.0 §3: `xml` and `xmlns` cannot be redeclared, and no prefix can be undeclared. */
function scopeWith(outer: Scope, given: readonly (readonly [string, string])[]): Scope {
  const declarations = given.filter(([name]) => isDeclaration(name));
  if (declarations.length === 0) return outer;
  const scope = new Map(outer);
  for (const [name, uri] of declarations) {
    const [, local] = split(name);
    const prefix = name === 'xmlns' ? '' : local;
    const isReserved = RESERVED.has(prefix) || [...RESERVED.values()].includes(uri);
    if (isReserved || (prefix !== '' && uri === ''))
      throw new XmlRefused('a namespace that cannot be declared');
    scope.set(prefix, uri);
  }
  if (scope.size > NAMESPACES_MAX) throw new XmlRefused('too many namespaces');
  return scope;
}

function attribute(name: string, value: string, scope: Scope): XmlAttribute {
  const [prefix, local] = split(name);
  return { namespace: prefix === '' ? '' : declared(scope, prefix), local, value };
}

function split(qname: string): readonly [prefix: string, local: string] {
  const colon = qname.indexOf(':');
  const parts = [qname.slice(0, Math.max(colon, 0)), qname.slice(colon + 1)] as const;
  // Some parsers keep names in plain objects, where these names exist already.
  if (parts.some((part) => part in Object.prototype)) throw new XmlRefused('a name of Object.prototype');
  return parts;
}

function declared(scope: Scope, prefix: string): string {
  const uri = prefix === 'xmlns' ? undefined : scope.get(prefix);
  if (uri === undefined) throw new XmlRefused('a prefix without a namespace');
  return uri;
}

/** Normalises an attribute value (XML 1.0 §3.3.3). White space from a character reference stays. */
function attributeValue(raw: string): string {
  return unescaped(raw.replace(/\r\n|[\t\n\r]/g, ' '));
}

/** Normalises line ends (XML 1.0 §2.11) and refuses "]]>", which must not appear (§2.4). */
function characterData(raw: string): string {
  if (raw.includes(']]>')) throw new XmlRefused('an end of CDATA without its beginning');
  return unescaped(raw.replace(/\r\n?/g, '\n'));
}

function unescaped(raw: string): string {
  return raw.replace(REFERENCE, (_, name?: string, decimal?: string, hexadecimal?: string) => {
    if (name !== undefined) return PREDEFINED[name] ?? '';
    if (decimal === undefined && hexadecimal === undefined) throw new XmlRefused('an entity');
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    const character = code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\0';
    if (NO_CHARACTER.test(character)) throw new XmlRefused('a character that XML does not have');
    return character;
  });
}

/** Returns the element as a document of its own, unchanged except for the namespaces that enclosing elements declare. */
export function standalone(document: string, { source }: XmlElement): string {
  const { start, end, qname, inherited } = source;
  const declarations = [...inherited]
    .filter(([prefix]) => !RESERVED.has(prefix))
    .map(([prefix, uri]) => ` xmlns${prefix === '' ? '' : `:${prefix}`}="${escaped(uri)}"`);
  const rest = document.slice(start + 1 + qname.length, end);
  return `<${qname}${declarations.join('')}${rest}`;
}

const escaped = (value: string): string =>
  value.replace(/[&<"\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Returns the children of one name, in order. */
export function childrenOf(element: XmlElement, namespace: string, local: string): readonly XmlElement[] {
  return element.children.filter((child) => isNamed(child, namespace, local));
}

export function isNamed(element: XmlElement, namespace: string, local: string): boolean {
  return element.namespace === namespace && element.local === local;
}

/** Returns the value of an attribute without a prefix. */
export function attributeOf(element: XmlElement, local: string): string | undefined {
  return element.attributes.find((one) => one.namespace === '' && one.local === local)?.value;
}

/** Returns the text of an element; undefined if it has children. */
export function textOf(element: XmlElement): string | undefined {
  return element.children.length === 0 ? element.text : undefined;
}

/** Tells whether only white space stands between its children. */
export function hasElementContent(element: XmlElement): boolean {
  return BLANK.test(element.text);
}

/** Yields the element and all its descendants. */
export function* elementsOf(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* elementsOf(child);
}
