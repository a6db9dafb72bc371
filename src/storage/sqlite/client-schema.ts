/** Renewals of federated clients. Clients of an older version are due at once, if anything uses them. */
export const RENEWAL_SCHEMA = `
  ALTER TABLE client ADD COLUMN federation TEXT;
  ALTER TABLE client ADD COLUMN resolved_at INTEGER;
  ALTER TABLE client ADD COLUMN renew_at INTEGER;
  UPDATE client SET resolved_at = issued_at, renew_at = issued_at
  WHERE registered_via LIKE 'federation:%' AND expires_at IS NOT NULL;
  CREATE INDEX client_renewal ON client (tenant, renew_at) WHERE renew_at IS NOT NULL;`;

/** The owners of the clients that files declare. */
export const OWNER_SCHEMA = `
  ALTER TABLE client ADD COLUMN owner TEXT;
  CREATE INDEX client_owner ON client (tenant, owner, client_id) WHERE owner IS NOT NULL;`;
