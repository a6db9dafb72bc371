// npm run federation:conformance -- ISSUER [options]: plays trust anchors, intermediates and relying parties against an OpenID
// provider, and prints a table of conditions. The README says how to configure the provider.
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { sender } from '../conformance/http.ts';
import { openHost } from './authorities.ts';
import { CONDITIONS } from './conditions/library.ts';
import { makeKey, type SigningKey, signingKey } from './keys.ts';
import { type Case, casesOf, dialectsOf, type Outcome, openAnchors, openWorld, runCases } from './run.ts';
import { tableText, verdictText } from './table.ts';
import type { Anchors } from './world.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Where the entities of the suite listen. */
    listen: { type: 'string', default: '127.0.0.1:8097' },
    /** The address that the provider calls, if it is another one. */
    url: { type: 'string' },
    /** PEM files of the suite's own https. */
    'tls-certificate': { type: 'string' },
    'tls-key': { type: 'string' },
    /** PEM of the authority of the provider's certificate. */
    ca: { type: 'string' },
    'allow-http': { type: 'boolean', default: false },
    /** The keys of the trust anchors. The file is made if it does not exist. */
    'anchor-keys': { type: 'string', default: 'data/federation-conformance-anchors.json' },
    /** Prints what the provider's operator configures, and ends. */
    anchors: { type: 'boolean', default: false },
    /** Prints it as environment variables for a Chancery on this machine, and ends. */
    environment: { type: 'boolean', default: false },
    /** Conditions whose name contains this. */
    only: { type: 'string', default: '' },
    dialect: { type: 'string' },
    'at-once': { type: 'string', default: '4' },
    json: { type: 'boolean', default: false },
  },
});

process.exitCode = await main();

async function main(): Promise<number> {
  const [issuer] = positionals;
  const printsOnly = values.anchors || values.environment;
  if (issuer === undefined && !printsOnly) throw new Error('name the issuer of the provider');
  const host = await openHost({ listen: values.listen, url: values.url, tls: tlsFiles() });
  try {
    const anchors = await openAnchors(host, anchorKeys(values['anchor-keys']));
    if (host.url.startsWith('http:') && !values['allow-http'])
      throw new Error(`${host.url} is plain http: give --tls-certificate and --tls-key, or --allow-http`);
    if (issuer === undefined || printsOnly) {
      console.log(
        values.environment ? environmentText(anchors) : JSON.stringify(anchorsOf(anchors), undefined, 2),
      );
      return 0;
    }
    return await run(host, anchors, issuer);
  } finally {
    await host.close();
  }
}

async function run(
  host: Awaited<ReturnType<typeof openHost>>,
  anchors: Anchors,
  issuer: string,
): Promise<number> {
  const send = sender(values.ca === undefined ? undefined : readFileSync(values.ca, 'utf8'));
  const world = await openWorld(host, anchors, { issuer, send }, { allowHttp: values['allow-http'] });
  const types = world.configuration.metadata['client_registration_types_supported'];
  const isExplicit = world.configuration.metadata['federation_registration_endpoint'] !== undefined;
  const cases = casesOf(CONDITIONS).filter(
    ({ condition: { id }, dialect }) =>
      id.includes(values.only) &&
      (values.dialect === undefined || dialect === values.dialect) &&
      // Without an endpoint there is nothing to register at.
      (isExplicit || dialect === undefined),
  );
  if (cases.length === 0) throw new Error('no condition has such a name');
  if (!isExplicit)
    console.error(`explicit registration is not supported: ${JSON.stringify(types) ?? 'no types'}`);
  const outcomes = new Map<Case, Outcome>();
  const dialects = isExplicit ? await dialectsOf(world) : new Map();
  await runCases(world, cases, dialects, {
    atOnce: Number(values['at-once']),
    done: (at, outcome) => void outcomes.set(at, outcome),
  });
  const inOrder = cases.map((each) => [each, outcomes.get(each) ?? { result: 'fail' }] as const);
  console.log(values.json ? jsonText(inOrder) : tableText(inOrder));
  if (!values.json) console.log(verdictText(inOrder));
  return inOrder.some(([{ condition }, { result }]) => result === 'fail' && condition.level === 'must')
    ? 1
    : 0;
}

function jsonText(outcomes: readonly (readonly [Case, Outcome])[]): string {
  const rows = outcomes.map(
    ([
      {
        condition: { id, section, words, level },
        dialect,
      },
      outcome,
    ]) => ({
      id,
      section,
      words,
      level,
      ...(dialect === undefined ? {} : { dialect }),
      ...outcome,
    }),
  );
  return JSON.stringify(rows, undefined, 2);
}

function tlsFiles(): { readonly cert: string; readonly key: string } | undefined {
  const { 'tls-certificate': cert, 'tls-key': key } = values;
  return cert === undefined || key === undefined
    ? undefined
    : { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
}

/** Returns what the operator of the provider configures: the identifiers and the public keys. */
function anchorsOf({ first, second }: Anchors): readonly { entity_id: string; jwks: object }[] {
  return [first, second].map(({ id, key }) => ({ entity_id: id, jwks: { keys: [key.jwk] } }));
}

function environmentText(anchors: Anchors): string {
  const trusted = anchorsOf(anchors).map(({ entity_id, jwks }) => ({ 'entity-id': entity_id, jwks }));
  return Object.entries({
    FEDERATION_ENABLED: 'true',
    FEDERATION_TRUST_ANCHORS: JSON.stringify(trusted),
    FEDERATION_AUTHORITY_HINTS: anchors.first.id,
    OUTBOUND_ALLOW_HTTP: 'true',
    OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
    OUTBOUND_PORTS: 'any',
  })
    .map(([name, value]) => `export CHANCERY_${name}='${value}'`)
    .join('\n');
}

/** Reads the keys of the anchors, or makes them, so that a provider is configured once for many runs. */
function anchorKeys(path: string): readonly [SigningKey, SigningKey] {
  if (!existsSync(path)) {
    const made = [makeKey('anchor'), makeKey('second-anchor')] as const;
    mkdirSync(dirname(path), { recursive: true });
    const text = JSON.stringify(made.map(({ privateKey }) => privateKey.export({ format: 'jwk' })));
    writeFileSync(path, text, { mode: 0o600 });
    return made;
  }
  const [first, second] = (JSON.parse(readFileSync(path, 'utf8')) as object[]).map((jwk, at) => {
    const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
    const kid = at === 0 ? 'anchor' : 'second-anchor';
    return signingKey(kid, 'ES256', { privateKey, publicKey: createPublicKey(privateKey) });
  });
  if (first === undefined || second === undefined)
    throw new Error(`${path} does not hold the keys of two anchors`);
  return [first, second];
}
