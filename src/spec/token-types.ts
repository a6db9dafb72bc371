const TYPE = 'urn:ietf:params:oauth:token-type:';

/** Types of tokens (RFC 8693 §3). */
export const ACCESS_TOKEN_TYPE = `${TYPE}access_token`;
export const JWT_TYPE = `${TYPE}jwt`;
