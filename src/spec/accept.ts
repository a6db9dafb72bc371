/** RFC 9110 §12.4.2: `weight = OWS ";" OWS "q=" qvalue`. */
const WEIGHT = /^[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

const ACCEPT_LENGTH_MAX = 1024;

/** What an `Accept` header says of one media type. */
interface Preference {
  readonly weight: number;
  /** How closely the header names the type: 2 by its name, 1 by `type/*`, 0 by `*` and `/*`. */
  readonly closeness: number;
  /** Where in the header. */
  readonly place: number;
}

/**
 * Which of several representations a request prefers (RFC 9110 §12.5.1). The usual one may be meant by a range; the
 * others must be named, so that who accepts anything gets what everybody gets. Of equal weights the one named more
 * closely is preferred, then the one named first; where nothing fits, it is the usual one: nobody is told 406.
 * @param others in lower case, as `usual`
 */
export function preferredMediaType<Usual extends string, Other extends string>(
  accept: string | undefined,
  usual: Usual,
  others: readonly Other[],
): Usual | Other {
  if (accept === undefined || accept.length > ACCEPT_LENGTH_MAX) return usual;
  const ranges = accept.split(',').map(rangeOf);
  let preferred: Usual | Other = usual;
  let best = preferenceFor(usual, ranges);
  for (const other of others) {
    const preference = preferenceFor(other, ranges);
    if (preference === undefined || preference.closeness !== 2 || preference.weight === 0) continue;
    if (best === undefined || isBetter(preference, best)) {
      preferred = other;
      best = preference;
    }
  }
  return preferred;
}

function isBetter(one: Preference, other: Preference): boolean {
  if (one.weight !== other.weight) return one.weight > other.weight;
  return one.closeness === other.closeness ? one.place < other.place : one.closeness > other.closeness;
}

/** "The most specific media range … takes precedence" over the others that match. */
function preferenceFor(type: string, ranges: readonly (MediaRange | undefined)[]): Preference | undefined {
  const names = ['*/*', `${type.slice(0, type.indexOf('/'))}/*`, type];
  let closest: Preference | undefined;
  for (const [place, range] of ranges.entries()) {
    const closeness = range === undefined ? -1 : names.indexOf(range.name);
    if (range === undefined || closeness < 0 || (closest !== undefined && closest.closeness >= closeness))
      continue;
    closest = { weight: range.weight, closeness, place };
  }
  return closest;
}

interface MediaRange {
  /** Lower case. */
  readonly name: string;
  readonly weight: number;
}

/** Parameters other than the weight are not looked at: no representation here has any. */
function rangeOf(element: string): MediaRange | undefined {
  const [name = '', ...parameters] = element.split(';').map((part) => part.trim());
  const given = parameters.find((parameter) => /^q=/i.test(parameter));
  const weight = given === undefined ? '1' : WEIGHT.exec(given)?.[1];
  return weight === undefined ? undefined : { name: name.toLowerCase(), weight: Number(weight) };
}
