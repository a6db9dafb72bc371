/** The maximum number of preferences. The sender chooses the length of the list. */
const PREFERENCES_MAX = 10;
const LENGTH_MAX = 1000;

/** The part of RFC 5646 §2.1 that matters for finding messages: a language and subtags. */
const TAG = /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}$/;

/**
 * Returns the end-user's languages in order of preference: first those of `ui_locales` (OpenID Connect Core 1.0 §3.1.2.1,
 * separated by spaces), then those of `Accept-Language` (RFC 9110 §12.5.4). Skips invalid tags: "An error SHOULD NOT
 * result if some or all of the requested locales are not supported".
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
 * Returns the first preferred language that is available (RFC 4647 §3.4, Lookup: drops subtags from the end).
 * @param available in lower case; the first is the fallback
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
