/** The part of oidc-provider 9 that is measured; the package brings no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, Server, ServerResponse } from 'node:http';

  interface Client {
    readonly clientId: string;
  }

  class Provider {
    constructor(issuer: string, configuration: object);
    listen(port: number, host: string): Server;
    /** Answers the requests of a server of one's own. */
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    readonly Client: { find(id: string): Promise<Client | undefined> };
    readonly ClientCredentials: new (payload: {
      client: Client;
      scope: string;
    }) => { save(): Promise<string> };
    readonly Grant: new (payload: {
      clientId: string;
      accountId: string;
    }) => { addOIDCScope(scope: string): void; save(): Promise<string> };
    readonly AuthorizationCode: new (
      payload: Granted & { redirectUri: string },
    ) => {
      save(): Promise<string>;
    };
    readonly RefreshToken: new (
      payload: Granted & { gty: string },
    ) => { save(): Promise<string> };
  }

  interface Granted {
    client: Client;
    accountId: string;
    scope: string;
    grantId: string;
    authTime: number;
  }

  export { Provider };
}
