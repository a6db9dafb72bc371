/** More edits than these are another word. */
const EDITS_MAX = 6;

/**
 * Returns the candidate that `word` most likely stands for; undefined if none is close. Strangers choose both: the number of
 * steps is proportional to the length of the candidates.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = word.length < 4 ? 1 : Math.min(EDITS_MAX, Math.max(2, Math.floor(word.length / 4)));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate, limit);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Returns `; did you mean X?`, or the empty string. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

/** Returns the Levenshtein distance of two words that differ in at most `limit` edits, otherwise a greater number. */
function editDistance(a: string, b: string, limit: number): number {
  const tooFar = limit + 1;
  if (Math.abs(a.length - b.length) > limit) return tooFar;
  // Only cells near the diagonal can be within the limit: (2 · limit + 1) · length steps, not length · length.
  const width = 2 * limit + 1;
  let previous = Array.from({ length: width }, (_, diagonal) => Math.abs(diagonal - limit));
  let current = previous.slice();
  for (let row = 1; row <= a.length; row++) {
    const letter = a.charCodeAt(row - 1);
    let left = tooFar;
    let least = tooFar;
    for (let diagonal = 0; diagonal < width; diagonal++) {
      const column = row + diagonal - limit;
      const above = previous[diagonal + 1] ?? tooFar;
      const substitution = (previous[diagonal] ?? tooFar) + (b.charCodeAt(column - 1) === letter ? 0 : 1);
      const inside = column >= 0 && column <= b.length;
      left = inside ? Math.min(substitution, above + 1, left + 1) : tooFar;
      current[diagonal] = left;
      if (left < least) least = left;
    }
    if (least > limit) return tooFar;
    [previous, current] = [current, previous];
  }
  return previous[b.length - a.length + limit] ?? tooFar;
}
