const TEST =
  /\b(?:test|it|describe|suite)\(\s*(?:'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\[\s\S]|\$\{[^}]*\}|[^`\\])*)`)/g;

/** Returns the names of the tests in a source; each part that is only known at run time becomes an ellipsis. */
export function testNames(text: string): readonly string[] {
  return [...text.matchAll(TEST)].map(([, ...literals]) => {
    const literal = literals.find((found) => found !== undefined) ?? '';
    return literal.replaceAll(/\$\{[^}]*\}/g, '…').replaceAll(/\\(['"`\\])/g, '$1');
  });
}
