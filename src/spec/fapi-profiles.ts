/** The profiles that a report on clients compares them with. */
export const FAPI_PROFILES = ['fapi-2.0', 'fapi-2.0-message-signing'] as const;

export type FapiProfile = (typeof FAPI_PROFILES)[number];
