/** Further preferences are ignored: nobody reads ten languages, and the list is somebody else's. */
const PREFERENCES_MAX = 10;
const LENGTH_MAX = 1000;

/** RFC 5646 §2.1, as far as it matters for finding texts: a language, and subtags. */
const TAG = /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}$/;

/**
 * The languages a person would like, most wanted first: those the client asked for (`ui_locales`, OpenID Connect Core 1.0
 * §3.1.2.1, separated by spaces), then those of the browser (`Accept-Language`, RFC 9110 §12.5.4). What is not a tag is left
 * out: "An error SHOULD NOT result if some or all of the requested locales are not supported".
 */
export function preferredLanguages(
  ui_locales: string | undefined,
  acceptLanguage: string | undefined,
): readonly string[] {
  const wanted = (ui_locales ?? '').slice(0, LENGTH_MAX).toLowerCase().split(' ');
  const accepted = acceptedLanguages((acceptLanguage ?? '').slice(0, LENGTH_MAX).toLowerCase());
  return [...wanted, ...accepted].filter((tag) => TAG.test(tag)).slice(0, PREFERENCES_MAX);
}

function acceptedLanguages(header: string): readonly string[] {
  return header
    .split(',')
    .map((entry) => {
      const [tag = '', ...parameters] = entry.split(';').map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return { tag, weight: weight === undefined ? 1 : Number(weight.slice(2)) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
}

/**
 * The first language for which there is one of `available` (RFC 4647 §3.4, Lookup: subtags are taken off from the end).
 * @param available lower case; the first is the answer where nothing fits
 */
export function lookUpLanguage<Language extends string>(
  preferred: readonly string[],
  available: readonly [Language, ...Language[]],
): Language {
  for (const tag of preferred) {
    for (let range = tag; range !== ''; range = range.slice(0, Math.max(range.lastIndexOf('-'), 0))) {
      const found = available.find((language) => language === range);
      if (found !== undefined) return found;
    }
  }
  return available[0];
}
