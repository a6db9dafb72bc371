import type { ClientMetadata } from '../../spec/client-metadata.ts';
import type { JsonLimits, JsonValue } from '../../spec/json.ts';

/** An object of `authorization_details` (RFC 9396 §2). */
export type AuthorizationDetail = { readonly type: string; readonly [member: string]: JsonValue };

/** One or more. No details are `undefined` everywhere, so that nothing is stored about them. */
export type AuthorizationDetails = readonly [AuthorizationDetail, ...AuthorizationDetail[]];

/** A type of authorisation details that the operator has registered. */
export interface DetailType {
  readonly type: string;
  /** Returns the place where details break the schema, and why. */
  readonly mistakeIn: (
    detail: AuthorizationDetail,
  ) => { readonly pointer: string; readonly detail: string } | undefined;
  /** Members whose lists may have fewer values in a later request. */
  readonly narrowable: readonly string[];
  /** The words of the consent page by language. */
  readonly consent: Readonly<Record<string, string>> | undefined;
}

/** The types of a tenant, and the limits of a request. */
export interface DetailTypes {
  readonly byName: ReadonlyMap<string, DetailType>;
  /** Characters of the parameter. */
  readonly length: number;
  readonly json: JsonLimits;
}

/** Returns the types that a client is registered for (RFC 9396 §10). Without a registration there are none. */
export function registeredTypes(metadata: ClientMetadata): readonly string[] {
  return (metadata['authorization_details_types'] as readonly string[] | undefined) ?? [];
}
