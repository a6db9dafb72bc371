/** Returns the candidate that `word` most likely stands for; undefined if none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 4));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Returns `; did you mean X?`, or the empty string. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

/** Returns the Levenshtein distance, computed row by row. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
