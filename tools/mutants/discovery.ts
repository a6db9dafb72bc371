import type { Mutant } from './mutant.ts';

const WEBFINGER_TEST = 'test/hostile/webfinger.program.test.ts';
const RESOURCE_TEST = 'src/endpoints/protected-resource/protected-resource.test.ts';
const CHOICES_TEST = 'src/clients/registration/metadata-choices.test.ts';

/** Faults of WebFinger, of the metadata of resources, of metadata choices and of `s_hash`. */
export const DISCOVERY: readonly Mutant[] = [
  {
    name: 'webfinger-for-every-domain',
    fault: 'The server names itself as the issuer of people of every domain.',
    edits: [
      {
        file: 'src/endpoints/webfinger/endpoint.ts',
        find: "      if (!settings['webfinger.domains'].includes(domain)) throw new NotFound();",
        replace:
          "      if (settings['webfinger.domains'].length === 0 || domain === '') throw new NotFound();",
      },
    ],
    killers: [
      {
        file: WEBFINGER_TEST,
        test: 'H-670 and H-671 the resource ',
      },
    ],
  },
  {
    name: 'resource-metadata-without-its-resource',
    fault: 'Metadata of the administration stands where the administration does not.',
    edits: [
      {
        file: 'src/endpoints/protected-resource/endpoint.ts',
        find: "  if (settings['admin.listeners'] !== 'both') return [userinfo];",
        replace: "  if (settings['admin.listeners'] === 'none') return [userinfo];",
      },
    ],
    killers: [
      {
        file: RESOURCE_TEST,
        test: '200: the administration has metadata where it stands on the main listener, and not elsewhere',
      },
    ],
  },
  {
    name: 'metadata-choice-over-a-wish',
    fault: 'A list overrides the member that the client gives itself.',
    edits: [
      {
        file: 'src/clients/registration/metadata-choices.ts',
        find: '    if (given[member] !== undefined || mistakes.some',
        replace: '    if (mistakes.some',
      },
    ],
    killers: [{ file: CHOICES_TEST, test: 'a member that the client gives itself is not chosen again' }],
  },
  {
    name: 's-hash-of-the-code',
    fault: '`s_hash` binds the ID token to nothing that the client can compare.',
    edits: [
      {
        file: 'src/tokens/id-token.ts',
        find: 's_hash: halfHash(state, alg)',
        replace: "s_hash: halfHash(code ?? '', alg)",
      },
    ],
    killers: [{ file: 'src/tokens/id-token.test.ts', test: 's_hash is the half hash of the state' }],
  },
];
