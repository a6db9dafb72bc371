import type { Answer } from './exchange.ts';

export interface ClientInformation {
  readonly client_id: string;
  /** Empty for a client without one. */
  readonly client_secret: string;
  readonly registration_access_token: string;
  readonly members: Readonly<Record<string, unknown>>;
}

export function clientInformationOf({ json }: Pick<Answer, 'json'>): ClientInformation {
  return {
    client_id: textOf(json['client_id']),
    client_secret: textOf(json['client_secret']),
    registration_access_token: textOf(json['registration_access_token']),
    members: json,
  };
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
