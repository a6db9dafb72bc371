export interface PortRange {
  readonly first: number;
  readonly last: number;
}

const RANGE = /^([1-9][0-9]{0,4})(?:-([1-9][0-9]{0,4}))?$/;

/** Reads `443`, `8000-8999` or `any`; undefined for anything else. */
export function parsePortRange(text: string): PortRange | undefined {
  if (text === 'any') return { first: 1, last: 65_535 };
  const match = RANGE.exec(text);
  if (match === null) return undefined;
  const [, first, last = first] = match;
  const range = { first: Number(first), last: Number(last) };
  return range.first <= range.last && range.last <= 65_535 ? range : undefined;
}
