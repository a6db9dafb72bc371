/** A file of the console, whose name changes with its content. */
export interface ConsoleFile {
  readonly mediaType: string;
  readonly body: Uint8Array;
  /** The same content for a browser that accepts gzip; absent where compression saves nothing. */
  readonly gzip?: Uint8Array;
}

/** The names of the files that the page of the console begins with. */
export interface ConsoleEntry {
  readonly script: string;
  /** Modules that the script imports, so that the browser fetches them at once; empty for a bundle. */
  readonly modules: readonly string[];
  readonly styles: readonly string[];
  readonly icon: string;
  /** The file with the messages of each language, by language tag. */
  readonly messages: Readonly<Record<string, string>>;
}

/** The files of the console: a web application that is a client of the administration API (ADR 85). */
export interface ConsoleFiles {
  readonly entry: ConsoleEntry;
  file(name: string): ConsoleFile | undefined;
}

/** Opens the files. They stay in memory, and are read when they are first wanted. */
export type OpenConsoleFiles = () => Promise<ConsoleFiles>;
