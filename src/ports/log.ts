/** One line with members. Secrets, tokens and request bodies are never passed to it. */
export interface Log {
  info(members: Readonly<Record<string, unknown>>, message: string): void;
  warn(members: Readonly<Record<string, unknown>>, message: string): void;
  error(members: Readonly<Record<string, unknown>>, message: string): void;
}
