/** The facts that the server puts into the page of the console. */
export interface Configuration {
  /** Where the operator signs in. */
  readonly issuer: string;
  /** The address that the sign-in returns to. */
  readonly url: string;
  readonly client_id: string;
  /** The version of the server. */
  readonly version: string;
  /** The files of the messages, by language. */
  readonly messages: Readonly<Record<string, string>>;
}

function read(): Configuration {
  const given = document.querySelector<HTMLMetaElement>('meta[name="chancery"]')?.content ?? '{}';
  return JSON.parse(given) as Configuration;
}

export const configuration = read();

/** The address above the console, which the paths of the administration API begin with: the page may lie below any prefix. */
export const apiBase = new URL('..', document.baseURI).href.replace(/\/$/u, '');
