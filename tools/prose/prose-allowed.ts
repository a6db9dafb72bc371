/**
 * Findings that are tolerated, by area. A number may fall and must never rise; lower it when you mend something.
 * The goal is zero everywhere.
 */
export const ALLOWED: Readonly<Record<string, number>> = {
  documents: 431,
  pages: 3,
  'texts of the program': 49,
  'names and texts of tests': 294,
  'comments of the program': 762,
  'comments of tests and tools': 318,
};
