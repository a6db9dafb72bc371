import type { Credentials } from '../../spec/authorization-header.ts';
import type { AuthMethod } from '../../spec/client-metadata.ts';
import type { Parameters } from '../../spec/parameters.ts';

/** What a request offers to authenticate a client with. */
export interface Presented {
  readonly authorization: Credentials;
  /** Of the form in the body; undefined where there is none that can be read. */
  readonly parameters: Parameters | undefined;
}

/** Who a request says it is, and the secret that shall prove it. */
export interface Claimed {
  readonly client_id: string;
  readonly secret: string;
}

/** A client authentication method (RFC 7591 §2, `token_endpoint_auth_method`). */
export interface AuthenticationMethod {
  readonly name: AuthMethod;
  /** Whether the request uses this method, well or badly: two that do are one too many (RFC 6749 §2.3). */
  isTried(presented: Presented): boolean;
  /** Undefined where the method is used badly. */
  claim(presented: Presented): Claimed | undefined;
}
