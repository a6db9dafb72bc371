import type { Mutant } from './mutant.ts';

const CONTRACT = 'src/storage/sqlite/storage.test.ts';
const RENEWAL = 'src/federation/registration/renewal.test.ts';
const ROLLED = 'src/federation/registration/rolled-keys.test.ts';

/** Faults of renewals of federated clients, and of looks at entities that rolled their keys. */
export const FEDERATED_CLIENTS: readonly Mutant[] = [
  {
    name: 'federated-client-swept-with-grants',
    fault: 'The sweep ends an expired client that holds grants.',
    edits: [
      {
        file: 'src/storage/sweepable.ts',
        find: 'held.client_instance = client.instance LIMIT 1) IS NULL))`;',
        replace: 'held.client_instance = client.instance LIMIT 1) IS NULL OR 1 = 1))`;',
      },
    ],
    killers: [
      {
        file: CONTRACT,
        test: 'a client that can be renewed ends for good after its retention, and not while it holds a grant (decision 49)',
      },
    ],
  },
  {
    name: 'federated-client-claimed-unused',
    fault: 'Clients that nothing uses are renewed too.',
    edits: [
      {
        file: 'src/storage/sqlite/clients.ts',
        find: '>= client.resolved_at - :margin',
        replace: '>= client.resolved_at - :margin * 1000',
      },
    ],
    killers: [
      {
        file: CONTRACT,
        test: 'the clients that are due, live and in use are claimed, the longest due first; nothing but renew_at moves (decision 49)',
      },
    ],
  },
  {
    name: 'federated-client-no-jitter',
    fault: 'Clients that registered together are renewed together.',
    edits: [
      {
        file: 'src/federation/registration/chain-terms.ts',
        find: '(LATEST_SHARE - EARLIEST_SHARE) * fraction(random)',
        replace: '(LATEST_SHARE - EARLIEST_SHARE) * 0.5 * Math.sign(fraction(random) + 1)',
      },
    ],
    killers: [
      {
        file: RENEWAL,
        test: 'the renewals of clients that registered together are spread over their time (decision 49)',
      },
    ],
  },
  {
    name: 'federated-client-published-metadata',
    fault: 'An explicit client gets the metadata that its entity publishes, not those that it sent.',
    edits: [
      {
        file: 'src/federation/registration/renew-client.ts',
        find: '  if (keys.length === 0) return submitted;',
        replace: '  if (keys.length >= 0) return published;',
      },
    ],
    killers: [
      {
        file: RENEWAL,
        test: 'the secret, the identifier and the tokens of an explicit client stay; its metadata follows the policies and its keys (decision 49)',
      },
    ],
  },
  {
    name: 'federated-client-method-changes',
    fault: 'A renewal turns a client with a secret into one without.',
    edits: [
      {
        file: 'src/federation/registration/renew-client.ts',
        find: '  requireSameKind(client, validated);',
        replace: '  if (client.version < 0) requireSameKind(client, validated);',
      },
    ],
    killers: [
      {
        file: RENEWAL,
        test: 'an explicit client ends if its entity would need a secret that it does not have, or after federation.explicit-client-lifetime',
      },
    ],
  },
  {
    name: 'federated-client-page-dies',
    fault: 'A page that was open while the registration of its client expired does not go on.',
    edits: [
      {
        file: 'src/tenant/issuer.ts',
        find: 'federated?.renewing(documents.clients) ?? documents.clients',
        replace: '(issuer === "" ? federated?.renewing(documents.clients) : undefined) ?? documents.clients',
      },
    ],
    killers: [
      {
        file: RENEWAL,
        test: 'a sign-in page that was open while the registration of its client expired goes on',
      },
    ],
  },
  {
    name: 'federated-client-comes-back',
    fault: 'A renewal registers a client again that was deleted meanwhile.',
    edits: [
      {
        file: 'src/federation/registration/register-automatically.ts',
        find: 'before?.instance !== renewing.instance',
        replace: 'before?.instance === undefined && renewing.instance === undefined',
      },
    ],
    killers: [
      {
        file: 'src/federation/registration/renewal-races.test.ts',
        test: 'a client that is deleted while its renewal waits for other servers stays deleted (H-486)',
      },
    ],
  },
  {
    name: 'federated-client-copy-of-usable-set',
    fault: 'The copy of the keys stands in for a signed set that lacks the key.',
    edits: [
      {
        file: 'src/clients/client-keys/remote-jwk-set.ts',
        find: "keys.length > 0 && !('noCopy' in verification)",
        replace: 'keys.length > 0',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/federation-registration/key-sets.test.ts',
        test: 'a key that was withdrawn from the signed set stays refused while strangers use up outbound.key-set-fetches (ADR 63, H-485)',
      },
    ],
  },
  {
    name: 'federated-client-unlimited-looks',
    fault: 'Each request with an unknown key causes a look at the entity.',
    edits: [
      {
        file: 'src/federation/registration/federated-clients.ts',
        find: "clock.now() < last.at + settings['federation.look-interval']",
        replace: "clock.now() < last.at - settings['federation.look-interval']",
      },
    ],
    killers: [
      {
        file: ROLLED,
        test: 'unknown keys cause one look in federation.look-interval, however many requests name them at once or in turn (H-420)',
      },
    ],
  },
  {
    name: 'federated-client-rolled-keys',
    fault: 'A request object with a new key waits for the next renewal.',
    edits: [
      {
        file: 'src/clients/federated-client.ts',
        find: "reason === 'jwt-unknown-key'",
        replace: "reason === 'jwt-signature'",
      },
    ],
    killers: [
      {
        file: ROLLED,
        test: 'a client that rolled its keys signs its next request object with the new one, and the old one stops (RFC 7517 §4.5)',
      },
    ],
  },
  {
    name: 'federation-cached-keys',
    fault: 'A rolled federation key waits until the cached statements are old.',
    edits: [
      {
        file: 'src/federation/trust-chain/resolve-trust.ts',
        find: 'if (!mayBeOld || !isOutdated(resolution.search)) return resolution;',
        replace: 'if (!mayBeOld || isOutdated(resolution.search)) return resolution;',
      },
    ],
    killers: [
      {
        file: ROLLED,
        test: 'rolled is followed although older statements are cached (OpenID Federation 1.0 §11.1)',
      },
    ],
  },
  {
    name: 'federation-cached-keys-flood',
    fault: 'Each statement that a stranger makes up makes the server fetch everything again.',
    edits: [
      {
        file: 'src/federation/trust-chain/resolve-trust.ts',
        find: 'const mayBeOld = resolution.chain === undefined && first.oldestMs > limits.lookMs;',
        replace: 'const mayBeOld = resolution.chain === undefined && first.oldestMs >= 0;',
      },
      {
        file: 'src/federation/trust-chain/resolve-trust.ts',
        find: 'ageMaxMs: () => limits.lookMs }',
        replace: 'ageMaxMs: () => -1 }',
      },
    ],
    killers: [
      {
        file: ROLLED,
        test: 'statements that strangers make up in the name of a member make the server fetch each cached statement once in an interval, and the refusal is final (H-421)',
      },
    ],
  },
];
