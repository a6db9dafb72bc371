import type { Mutant } from './mutant.ts';

/** Faults of the device authorisation grant. */
export const DEVICES: readonly Mutant[] = [
  {
    name: 'device-of-another-client',
    fault: 'A device code tells every client its state.',
    edits: [
      {
        file: 'src/grants/device/device-code.ts',
        find: '  if (waiting.client_id !== client_id || waiting.client_instance !== instance) return invalidGrant();',
        replace: "  if (waiting.client_id === '' && client_id === instance) return invalidGrant();",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/device-code.test.ts',
        test: 'a device code of another client, of another form',
      },
    ],
  },
  {
    name: 'device-slow-down-in-one-process-only',
    fault: 'A device that was too fast keeps its interval.',
    edits: [
      {
        file: 'src/grants/device/device-code.ts',
        find: '  const slower: WaitingDevice = { ...waiting, interval: waiting.interval + SLOWER };',
        replace: '  const slower: WaitingDevice = { ...waiting };',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/device-code.test.ts',
        test: 'another process holds a device that was too fast',
      },
    ],
  },
  {
    name: 'device-poll-writes',
    fault: 'Each poll is written down.',
    edits: [
      {
        file: 'src/grants/device/device-code.ts',
        find: '  if (!cameTooSoon({ clock, polls }, stored.key, waiting.interval)) return false;',
        replace:
          '  await interactions.change(stored, stored.content);\n  if (!cameTooSoon({ clock, polls }, stored.key, waiting.interval)) return false;',
      },
    ],
    killers: [
      { file: 'src/endpoints/token/device-code.test.ts', test: 'a device that asks too soon gets slow_down' },
    ],
  },
  {
    name: 'device-consent-remembered',
    fault: 'A device gets its tokens by an earlier consent, without a page.',
    edits: [
      {
        file: 'src/grants/device/device-authorization.ts',
        find: "    prompt: ['consent'],",
        replace: '    prompt: [],',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/device-verification/device-verification.test.ts',
        test: 'the person agrees each time',
      },
    ],
  },
  {
    name: 'device-code-of-two-persons',
    fault: 'Each person who has entered a code decides about the device.',
    edits: [
      {
        file: 'src/storage/sqlite/interactions.ts',
        find: '        const used = outcome(tenant, key, remove.run(tenant, key, version).changes);',
        replace: '        void remove;\n        const used = outcome(tenant, key, 1);',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/device-verification/device-verification.test.ts',
        test: 'of two persons with one code the first one decides',
      },
    ],
  },
  {
    name: 'device-refused-by-the-operator-and-allowed',
    fault: 'A person still allows a device that an administrator has refused.',
    edits: [
      {
        file: 'src/storage/sqlite/interactions.ts',
        find: '        remove.run(tenant, user_code);',
        replace: '        void remove;',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/admin/device-authorizations/device-authorizations.test.ts',
        test: 'POST /admin/v1/device-authorizations/{id}/refuse refuses once',
      },
    ],
  },
  {
    name: 'device-form-of-another-site',
    fault: 'A form without the token of the page enters a code.',
    edits: [
      {
        file: 'src/endpoints/device-verification/endpoint.ts',
        find: '  if (cookie === undefined || !isAntiForgeryToken(form_token, cookie, PURPOSE))',
        replace: "  if (cookie === undefined && !isAntiForgeryToken(form_token, '', PURPOSE))",
      },
    ],
    killers: [
      {
        file: 'test/hostile/device.program.test.ts',
        test: 'H-603 a form from another site',
      },
    ],
  },
];
