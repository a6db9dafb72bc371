const TYPE = 'urn:ietf:params:oauth:token-type:';

/** Types of tokens (RFC 8693 §3). */
export const ACCESS_TOKEN_TYPE = `${TYPE}access_token`;
export const JWT_TYPE = `${TYPE}jwt`;
export const ID_TOKEN_TYPE_URI = `${TYPE}id_token`;
/** draft-ietf-oauth-identity-assertion-authz-grant-01 §8.2. */
export const ID_JAG_TYPE = `${TYPE}id-jag`;

/** The `typ` of the JWT (draft-ietf-oauth-identity-assertion-authz-grant-01 §3), and the name of the profile in metadata. */
export const ID_JAG_TYP = 'oauth-id-jag+jwt';
export const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';
