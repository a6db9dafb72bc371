/** RFC 9110 §12.4.2: `weight = OWS ";" OWS "q=" qvalue`. */
const WEIGHT = /^[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

const ACCEPT_LENGTH_MAX = 1024;

/** The preference of an `Accept` header for one media type. */
interface Preference {
  readonly weight: number;
  /** How specific the matching range is: 2 for the type's name, 1 for `type/*`, 0 for any type. */
  readonly closeness: number;
  /** The position in the header. */
  readonly place: number;
}

/**
 * Returns the representation that a request prefers (RFC 9110 §12.5.1). A range can select the usual representation only:
 * the header must name the others, so that a client that accepts anything gets the usual one. Among equal weights the more
 * specific range wins, then the first. If nothing fits, the usual representation is returned instead of a 406.
 * @param others in lower case, like `usual`
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
  /** In lower case. */
  readonly name: string;
  readonly weight: number;
}

/** Ignores parameters other than the weight, because no representation here has any. */
function rangeOf(element: string): MediaRange | undefined {
  const [name = '', ...parameters] = element.split(';').map((part) => part.trim());
  const given = parameters.find((parameter) => /^q=/i.test(parameter));
  const weight = given === undefined ? '1' : WEIGHT.exec(given)?.[1];
  return weight === undefined ? undefined : { name: name.toLowerCase(), weight: Number(weight) };
}
