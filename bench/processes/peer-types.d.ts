/** The part of oidc-provider 9 that is measured; the package brings no types. */
declare module 'oidc-provider' {
  import type { Server } from 'node:http';

  interface Client {
    readonly clientId: string;
  }

  class Provider {
    constructor(issuer: string, configuration: object);
    listen(port: number, host: string): Server;
    readonly Client: { find(id: string): Promise<Client | undefined> };
    readonly ClientCredentials: new (payload: {
      client: Client;
      scope: string;
    }) => { save(): Promise<string> };
  }

  export { Provider };
}
