import type { Check } from '../verdict.ts';
import { AUTHORIZATION_REQUEST } from './authorization-request.ts';
import { AUTHORIZATION_RESPONSE } from './authorization-response.ts';
import { DISCOVERY } from './discovery.ts';
import { FAPI_DPOP } from './fapi-dpop.ts';
import { FAPI_MTLS } from './fapi-mtls.ts';
import { FAPI_REQUEST } from './fapi-request.ts';
import { FAPI_RESPONSE } from './fapi-response.ts';
import { FEDERATION } from './federation.ts';
import { ID_TOKEN } from './id-token.ts';
import { KEYS } from './keys.ts';
import { LOGOUT } from './logout.ts';
import { MANAGEMENT } from './management.ts';
import { REGISTRATION } from './registration.ts';
import { TOKEN_ENDPOINT } from './token.ts';
import { USERINFO } from './userinfo.ts';

const NAMED = {
  ...DISCOVERY,
  ...KEYS,
  ...REGISTRATION,
  ...AUTHORIZATION_REQUEST,
  ...AUTHORIZATION_RESPONSE,
  ...TOKEN_ENDPOINT,
  ...ID_TOKEN,
  ...USERINFO,
  ...LOGOUT,
  ...FEDERATION,
  ...MANAGEMENT,
  ...FAPI_REQUEST,
  ...FAPI_DPOP,
  ...FAPI_MTLS,
  ...FAPI_RESPONSE,
};

export type ConditionName = keyof typeof NAMED;

/** All conditions, under the suite's names. A few steps of the suite that are no conditions there have names of our own. */
export const CONDITIONS: Readonly<Record<ConditionName, Check>> = NAMED;
