import type { ConfiguredDetailsType } from '../config/authorization-details-settings.ts';
import { CALLBACK, type ClientInformation, type TestTenant } from './tenant.ts';

/** RFC 9396 §2: a payment, as the specification has it. */
export const PAYMENT: ConfiguredDetailsType = {
  type: 'payment_initiation',
  schema: {
    type: 'object',
    properties: {
      actions: {
        type: 'array',
        items: { enum: ['initiate', 'status', 'cancel'] },
        minItems: 1,
        uniqueItems: true,
      },
      locations: { type: 'array', items: { type: 'string', format: 'uri' } },
      instructedAmount: {
        type: 'object',
        properties: {
          currency: { type: 'string', pattern: '^[A-Z]{3}$' },
          amount: { type: 'string', pattern: '^[0-9]{1,9}(\\.[0-9]{2})?$' },
        },
        required: ['currency', 'amount'],
        additionalProperties: false,
      },
      creditorName: { type: 'string', maxLength: 100 },
      paymentId: { type: 'string', maxLength: 36 },
    },
    required: ['actions', 'instructedAmount', 'creditorName'],
  },
  narrowable: ['actions', 'locations'],
  consent: {
    en: 'pay {instructedAmount.amount} {instructedAmount.currency} to {creditorName}',
    de: '{instructedAmount.amount} {instructedAmount.currency} an {creditorName} zahlen',
    fr: 'payer {instructedAmount.amount} {instructedAmount.currency} à {creditorName}',
    es: 'pagar {instructedAmount.amount} {instructedAmount.currency} a {creditorName}',
  },
};

/** A type without words, and with a member of any form. */
export const ACCOUNTS: ConfiguredDetailsType = {
  type: 'account_information',
  schema: {
    properties: {
      actions: { type: 'array', items: { type: 'string' } },
      datatypes: { type: 'array', items: { type: 'string' } },
      note: {},
    },
  },
};

export const DETAIL_SETTINGS = { 'authorization-details.types': [PAYMENT, ACCOUNTS] } as const;

/** A client of both types, with every grant that takes details. */
export const DETAILED_CLIENT = {
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
  client_name: 'Paper Clips',
  authorization_details_types: [PAYMENT.type, ACCOUNTS.type],
};

export function payment(change: object = {}): object {
  return {
    type: PAYMENT.type,
    actions: ['initiate', 'status', 'cancel'],
    locations: ['https://example.com/payments'],
    instructedAmount: { currency: 'EUR', amount: '123.50' },
    creditorName: 'Merchant A',
    ...change,
  };
}

/** Asks the token endpoint as a confidential client. */
export async function askToken(
  tenant: TestTenant,
  { client_id, client_secret }: Pick<ClientInformation, 'client_id' | 'client_secret'>,
  form: Readonly<Record<string, string>>,
): ReturnType<TestTenant['send']> {
  return await tenant.send('token', { basic: [client_id, client_secret], form });
}
