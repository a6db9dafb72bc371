import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { listeningPort } from '../../src/testing/listening-port.ts';

const MODULES = join(import.meta.dirname, 'node_modules');
/** The modules that the pages import, by the files that a bundler would take. */
const IMPORTS: Readonly<Record<string, string>> = {
  'oidc-client-ts': 'oidc-client-ts/dist/esm/oidc-client-ts.js',
  'jwt-decode': 'jwt-decode/build/esm/index.js',
};
const IMPORT_MAP = `<script type="importmap">${JSON.stringify({
  imports: Object.fromEntries(Object.entries(IMPORTS).map(([name, file]) => [name, `/modules/${file}`])),
})}</script>`;

/** A page of `recipes` whose script is the client. */
export interface ScriptPage {
  readonly base: string;
  /** Puts the values in place of the words of the recipe, such as `ISSUER`. */
  configure(values: Readonly<Record<string, string>>): void;
  stop(): Promise<void>;
}

/** Serves a page at the host of the server, as a single-page application beside its authorisation server has it. */
export async function servePage(recipe: string): Promise<ScriptPage> {
  let page = readFileSync(join(import.meta.dirname, 'recipes', recipe), 'utf8');
  page = page.replace('<script', `${IMPORT_MAP}\n<script`);
  const server = createServer(({ url = '/' }, response) => {
    const [path = '/'] = url.split('?');
    const file = Object.values(IMPORTS).find((name) => path === `/modules/${name}`);
    response.setHeader('content-type', file === undefined ? 'text/html' : 'text/javascript');
    response.end(file === undefined ? page : readFileSync(join(MODULES, file)));
  });
  return {
    base: `http://127.0.0.1:${await listeningPort(server.listen(0, '127.0.0.1'))}`,
    configure(values) {
      for (const [word, value] of Object.entries(values)) page = page.replaceAll(word, value);
    },
    async stop() {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}
