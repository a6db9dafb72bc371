/** The form of an owner of declared clients: a word that a file, a log line and an address can hold as it is. */
export const OWNER_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;
