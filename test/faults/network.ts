import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One of the two ends of a link. */
export type End = 'node' | 'host';

/** A pair of interfaces between a node's network namespace and this one. */
export interface Link {
  /** The address of this end, where the node reaches the database or its clients. */
  readonly host: string;
  /** The address of the node's end. */
  readonly node: string;
  /** Loses every packet that this end sends, and no other. Connections stay open on both sides, as behind a broken switch. */
  cut(from: End): void;
  /** Lets at most this many kilobits a second through, towards the node and from it. Packets wait for up to two seconds. */
  slow(kilobits: number): void;
  /** Ends both. */
  mend(): void;
  /** Resets every connection over the link, at both ends. @returns how many there were */
  reset(): number;
}

/** A network namespace for one node, with a link to the database and another one to the clients. */
export interface NodeNetwork {
  readonly database: Link;
  readonly clients: Link;
  /** An executable that runs the tests' own one in the namespace. */
  readonly runtime: string;
  remove(): void;
}

/** Why there can be none here; undefined where there can. */
export function noNetwork(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root, for network namespaces';
  try {
    execFileSync('ss', ['--version'], { stdio: 'ignore' });
    const name = nameOf('try');
    run('ip', 'netns', 'add', name);
    run('ip', 'netns', 'del', name);
    return undefined;
  } catch {
    return 'needs ip and ss (apt-get install iproute2), and a kernel with network namespaces';
  }
}

const nameOf = (what: string | number): string => `chancery-${process.pid}-${what}`;

/** @param index the number of the node, from 1: it stands in the addresses */
export function openNodeNetwork(index: number, folder: string): NodeNetwork {
  const namespace = nameOf(index);
  run('ip', 'netns', 'add', namespace);
  run('ip', '-n', namespace, 'link', 'set', 'lo', 'up');
  const runtime = join(folder, `node-in-${namespace}`);
  writeFileSync(runtime, `#!/bin/sh\nexec ip netns exec ${namespace} ${process.execPath} "$@"\n`);
  chmodSync(runtime, 0o700);
  return {
    database: openLink(namespace, `db${index}`, `10.213.${index}`),
    clients: openLink(namespace, `cl${index}`, `10.214.${index}`),
    runtime,
    // The links go with it.
    remove: () => run('ip', 'netns', 'del', namespace),
  };
}

interface Side {
  /** Options of `ip` and `tc` for the namespace. */
  readonly inside: readonly string[];
  readonly device: string;
  readonly peer: string;
}

function openLink(namespace: string, name: string, network: string): Link {
  const [near, far] = [`${name}-${process.pid}`.slice(0, 14), `${name}-node`];
  const [host, node] = [`${network}.1`, `${network}.2`];
  const inside: readonly string[] = ['-n', namespace];
  run('ip', 'link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', namespace);
  run('ip', 'addr', 'add', `${host}/30`, 'dev', near);
  run('ip', 'link', 'set', near, 'up');
  run('ip', ...inside, 'addr', 'add', `${node}/30`, 'dev', far);
  run('ip', ...inside, 'link', 'set', far, 'up');
  const ends: Readonly<Record<End, Side>> = {
    host: { inside: [], device: near, peer: node },
    node: { inside, device: far, peer: host },
  };
  /** The hardware address that packets go to: the peer's own, or one that is not there. */
  const send = (from: End, to: string): void => {
    const { device, peer, inside: words } = ends[from];
    run('ip', ...words, 'neigh', 'replace', peer, 'lladdr', to, 'dev', device, 'nud', 'permanent');
  };
  const address = (end: End): string => {
    const shown = output('ip', ...ends[end].inside, '-j', 'link', 'show', 'dev', ends[end].device);
    return (JSON.parse(shown) as readonly { readonly address: string }[])[0]?.address ?? '';
  };
  const hardware = { host: address('host'), node: address('node') };
  const limit = (end: End, ...words: readonly string[]): void => {
    run('tc', ...ends[end].inside, 'qdisc', ...words);
  };
  let slowed = false;
  return {
    host,
    node,
    cut: (from) => send(from, '02:00:00:00:00:99'),
    slow(kilobits) {
      slowed = true;
      for (const end of ['host', 'node'] as const) {
        const rate = ['rate', `${kilobits}kbit`, 'burst', '4kb', 'latency', '2s'];
        limit(end, 'replace', 'dev', ends[end].device, 'root', 'tbf', ...rate);
      }
    },
    mend() {
      send('host', hardware.node);
      send('node', hardware.host);
      if (slowed)
        for (const end of ['host', 'node'] as const) limit(end, 'del', 'dev', ends[end].device, 'root');
      slowed = false;
    },
    reset() {
      const ofNode = output('ip', 'netns', 'exec', namespace, 'ss', '-H', '--kill', 'dst', host);
      const ofHost = output('ss', '-H', '--kill', 'dst', node);
      return `${ofNode}${ofHost}`.split('\n').filter((line) => line !== '').length;
    },
  };
}

function run(program: string, ...words: readonly string[]): void {
  output(program, ...words);
}

function output(program: string, ...words: readonly string[]): string {
  return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
