import { configurationMarkdown } from '../src/config/configuration-document.ts';
import { configurationSchema } from '../src/config/configuration-schema.ts';

/** A document that is made from the tables of the sources. */
export interface MadeDocument {
  /** Below the repository's root. */
  readonly path: string;
  /** Its whole text, the same on every machine. */
  readonly make: () => string;
}

export const DOCUMENTS: readonly MadeDocument[] = [
  { path: 'docs/configuration.md', make: configurationMarkdown },
  {
    path: 'docs/configuration.schema.json',
    make: () => `${JSON.stringify(configurationSchema(), undefined, 2)}\n`,
  },
];
