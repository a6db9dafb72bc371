import { HOST_PATTERN } from '../spec/client-id-url.ts';
import { flag, integer, list, type Setting, seconds } from './setting.ts';

const DAY = 86_400;

const HOSTS = {
  items: 'hosts',
  pattern: HOST_PATTERN,
  rule: 'must be a list of hosts in lower case, such as client.example or *.client.example; international names in punycode',
  tenants: 'inherited',
  default: [],
} as const;

/** Switches on clients whose identifier is the URL of their metadata (Client ID Metadata Documents). */
export const CLIENT_DOCUMENT_REGISTRATION = {
  'registration.client-id-metadata-documents': flag({
    tenants: 'own',
    default: false,
    description:
      'Whether a client may use the `https` URL of its metadata document as `client_id`, without a registration. Such clients may have what open registration gives without a token. Discovery then has `client_id_metadata_document_supported`. Clients that came this way are refused while it is off.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;

/** Settings for these clients. */
export const CLIENT_DOCUMENT_SETTINGS = {
  'client-document.allowed-hosts': list({
    ...HOSTS,
    description:
      'The hosts whose documents are accepted. `*.client.example` names every host below `client.example`, and not that host itself. Empty: every public host.',
  }),
  'client-document.denied-hosts': list({
    ...HOSTS,
    description:
      'The hosts whose documents are refused, in the form of `client-document.allowed-hosts`, even if they are allowed there. Clients of these hosts stop working at once; tokens that were issued stay valid until `chancery clients delete` ends them.',
  }),
  'client-document.lifetime-min': seconds({
    tenants: 'inherited',
    default: 300,
    min: 0,
    max: 7 * DAY,
    description:
      'How long a document is used before the server asks for it again, even if its headers allow less. A change of the client is noticed only then.',
  }),
  'client-document.lifetime-max': seconds({
    tenants: 'inherited',
    default: DAY,
    min: 60,
    max: 30 * DAY,
    description:
      'How long a document is used at most, even if its headers allow more. A document without such headers is used for an hour.',
  }),
  'client-document.stale-max': seconds({
    tenants: 'inherited',
    default: DAY,
    min: 0,
    max: 30 * DAY,
    description:
      'How long a document stays in use beyond its lifetime while its server gives no answer. An answer that has no valid document ends the use at once. 0 = the client then gets 503.',
  }),
  'client-document.size-max': integer({
    tenants: 'inherited',
    default: 10_240,
    min: 1024,
    max: 65_536,
    unit: 'bytes',
    description:
      'The maximum size of a document. The draft recommends 5 KiB; a document with two inline RSA keys and names in several languages is larger. It holds instead of `outbound.body-limit`.',
  }),
  'client-document.rate-per-network': integer({
    tenants: 'inherited',
    default: 30,
    min: 0,
    max: 1_000_000,
    unit: 'documents per minute',
    description:
      'The maximum rate at which requests from one network (an IPv4 address or an IPv6 /64) make the server fetch documents of clients that no end-user has consented to. They may come in one burst. The server answers 429 beyond it. 0 = no limit. Known clients do not count.',
  }),
  'client-document.rate': integer({
    tenants: 'inherited',
    default: 300,
    min: 0,
    max: 1_000_000,
    unit: 'documents per minute',
    description: 'The maximum rate of such fetches for all networks together. 0 = no limit.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
