import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Account {
  readonly username: string;
  /** OpenID Connect Core 1.0 §5.1. The server adds `sub` and `updated_at`. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The account that the modules sign in with. */
export const ACCOUNT = JSON.parse(readFileSync(join(import.meta.dirname, 'account.json'), 'utf8')) as Account;

/** Returns the words of the command that creates it. The command reads the password from standard input. */
export function accountCommand(): readonly string[] {
  const claims = Object.entries(ACCOUNT.claims).flatMap(([name, value]) => [
    '--claim',
    `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  ]);
  return ['accounts', 'add', ACCOUNT.username, ...claims, '--password-stdin'];
}
