/**
 * Returns the words that start this program again, for commands to paste: as a script of the checkout, through npx, or installed.
 * @param program the file that runs
 * @param environment npm says in it by which of its commands the program was started
 */
export function commandWords(
  program: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  if (program.endsWith('.ts')) return 'npm run -s chancery --';
  return environment['npm_command'] === 'exec' ? 'npx chancery' : 'chancery';
}
