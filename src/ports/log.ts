/** Writes one line with members. Callers never pass secrets, tokens or request bodies. */
export interface Log {
  info(members: Readonly<Record<string, unknown>>, message: string): void;
  warn(members: Readonly<Record<string, unknown>>, message: string): void;
  error(members: Readonly<Record<string, unknown>>, message: string): void;
}
