/** The choices of an operator for a new installation. */
export interface Choices {
  readonly issuer: string;
  /** `sqlite:PATH` or `postgres://…`. */
  readonly storage: string;
  /** Where the server listens for its proxy or for clients. */
  readonly host: string;
  readonly port: number;
  /** Networks of the proxies in front of the server. */
  readonly proxies: readonly string[];
  /** Whether clients may register themselves without a token. */
  readonly open: boolean;
  /** The digest of the master token, as 64 hexadecimal digits. */
  readonly masterDigest: string;
}

export const FILES = {
  configuration: 'chancery.yaml',
  encryptionKey: 'encryption.key',
  masterToken: 'master.token',
  storageUrl: 'storage-url',
} as const;

/** Returns the commented configuration. Every value in it is JSON, which is YAML too. */
export function configurationText(choices: Choices): string {
  const { issuer, host, port, proxies, open, masterDigest } = choices;
  return `# The configuration of a Chancery server. docs/reference/configuration.md describes all settings.
# \`chancery config check --config FILE\` checks it; a server reads it when it starts.

# The address that people and clients use. It is in every token: choose it once.
issuer: ${quoted(issuer)}

listen:
  # The server speaks plain http here. Let a proxy end TLS in front of it, or set tls-certificate and tls-key.
  host: ${quoted(host)}
  port: ${port}
  # Networks of those proxies. Without them all people count as one network, and share its limits.
  trusted-proxies: ${JSON.stringify(proxies)}

# Health and metrics, without a token: keep them off public networks.
management:
  listen-host: 127.0.0.1
  listen-port: 9090

storage:
${storageLines(choices)}

# Encrypts secrets in the database. Keep a copy of the file elsewhere: without it the database is useless.
encryption:
  key: { file: ${FILES.encryptionKey} }

registration:
  # Whether clients may register themselves without a token.
  allow-open-registration: ${open}
  # The digest of the token that manages all clients. The token itself is in ${FILES.masterToken}; move it to your secret store.
  master-token-sha256: ["init:${masterDigest}"]
`;
}

function storageLines({ storage }: Choices): string {
  if (storage.startsWith('sqlite:'))
    return `  # One file. \`chancery serve --create\` makes it at the first start.\n  url: ${quoted(storage)}`;
  return `  # The address holds the password of the database.\n  url: { file: ${FILES.storageUrl} }`;
}

const quoted = (text: string): string => JSON.stringify(text);
