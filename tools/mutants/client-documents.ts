import type { Mutant } from './mutant.ts';

const RULES = 'src/clients/metadata-document/document-clients.test.ts';
const RENEWAL = 'src/clients/metadata-document/renewal.test.ts';

/** Client ID Metadata Documents. */
export const CLIENT_DOCUMENTS: readonly Mutant[] = [
  {
    name: 'document-of-another-url',
    fault: 'A document with the client_id of another URL is taken.',
    edits: [
      {
        file: 'src/clients/metadata-document/fetch-document.ts',
        find: '    requireOwnUrl(request, client_id);\n',
        replace: '',
      },
    ],
    killers: [
      {
        file: RULES,
        test: 'a document with another client_id, a secret, a private key or a secret method is refused, and the log says why (H-402)',
      },
    ],
  },
  {
    name: 'code-of-a-changed-document',
    fault: 'A code is redeemed although the document has changed its keys or its redirection URIs.',
    edits: [
      {
        file: 'src/grants/authorization-code.ts',
        find: '  requireSameDocument(client, content);\n',
        replace: '',
      },
    ],
    killers: [
      {
        file: RENEWAL,
        test: 'a code is refused if its document has lost the redirection URI or changed its keys before it is redeemed (H-409)',
      },
    ],
  },
  {
    name: 'consent-to-another-document',
    fault: 'A consent counts after the document has got other redirection URIs.',
    edits: [
      {
        file: 'src/grants/authorization/authorization-interaction.ts',
        find: 'return consent === undefined || consentIsOutdated(client, consent) ? undefined : consent;',
        replace: 'return consent;',
      },
    ],
    killers: [
      {
        file: RENEWAL,
        test: 'after a document changes its redirect_uris, keys or name, the end-user is asked again, and the audit names the members (§8.3)',
      },
    ],
  },
  {
    name: 'silent-loopback-client',
    fault: 'A program that states the client_id of a public client gets a code without a question.',
    edits: [
      {
        file: 'src/grants/authorization/authorization-interaction.ts',
        find: 'return http === undefined || isLoopbackHost(http.host);',
        replace: 'return http === undefined;',
      },
    ],
    killers: [
      {
        file: RULES,
        test: 'a public client that returns to the own machine is warned about and asked about each time (RFC 8252 §8.6; H-414)',
      },
    ],
  },
  {
    name: 'stale-document-for-ever',
    fault: 'A document whose server gives no answer counts without end.',
    edits: [
      {
        file: 'src/clients/metadata-document/document-clients.ts',
        find: 'if (registry.clock.now() >= until) throw unavailable(client_id, fetched);',
        replace: '',
      },
    ],
    killers: [
      {
        file: RENEWAL,
        test: 'a document whose server gives no answer counts until client-document.stale-max, and then 503 says so',
      },
    ],
  },
  {
    name: 'denied-host-served',
    fault: 'A client whose host is denied later goes on.',
    edits: [
      {
        file: 'src/clients/metadata-document/document-clients.ts',
        find: '    const problem = this.#problem(found.client_id);\n    if (problem !== undefined) throw refusal(found.client_id, problem);\n    const { clock }',
        replace: '    const { clock }',
      },
    ],
    killers: [
      {
        file: RULES,
        test: 'hosts: only those allowed, and never those denied; a host that is denied later loses its clients at once (H-405)',
      },
    ],
  },
];
