import type { ConsoleFile, OpenConsoleFiles } from '../../ports/console-files.ts';
import { NotFound } from '../../spec/errors.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint, EndpointRequest, EndpointResponse } from '../contract.ts';
import { contract, fileContract, redirectContract } from './contract.ts';
import { type ConsoleFacts, consolePage } from './page.ts';

export interface ConsoleNeeds {
  /** Known when the listener has its port. */
  readonly facts: () => ConsoleFacts;
  readonly files: OpenConsoleFiles;
}

/** Returns the endpoints of the console: its page, the address without the slash, and its files. */
export function consoleEndpoints(needs: ConsoleNeeds): readonly Endpoint[] {
  return [consolePageEndpoint(needs), consoleRedirect(), consoleFile(needs)];
}

function consolePageEndpoint({ facts, files }: ConsoleNeeds): Endpoint {
  return {
    contract,
    async handle() {
      const { entry } = await files();
      const known = facts();
      const policy = contentSecurityPolicy(new URL(known.issuer).origin);
      return {
        status: 200,
        headers: { ...PAGE_HEADERS, 'content-security-policy': policy },
        body: consolePage(known, entry),
      };
    },
  };
}

/** The path is relative, because a proxy may have removed a prefix. */
function consoleRedirect(): Endpoint {
  return {
    contract: redirectContract,
    handle: () => ({ status: 308, headers: { ...UNCACHED, location: 'console/' } }),
  };
}

/** Caches keep a file for a year, because its name changes with its content. */
const KEPT = { 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' } as const;

function consoleFile({ files }: ConsoleNeeds): Endpoint {
  return {
    contract: fileContract,
    async handle(request) {
      const file = (await files()).file(request.segment);
      if (file === undefined) throw new NotFound();
      return fileResponse(file, request);
    },
  };
}

function fileResponse(
  { mediaType, body, gzip }: ConsoleFile,
  { headers }: EndpointRequest,
): EndpointResponse {
  const common = { ...KEPT, 'content-type': mediaType };
  return gzip !== undefined && acceptsGzip(headers['accept-encoding'])
    ? { status: 200, headers: { ...common, 'content-encoding': 'gzip' }, body: gzip }
    : { status: 200, headers: common, body };
}

/** RFC 9110 §12.5.3: a weight of 0 means "not acceptable". */
function acceptsGzip(header = ''): boolean {
  return header
    .split(',')
    .some((coding) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)[\d.]+\s*)?$/iu.test(coding));
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  ...UNCACHED,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // The sign-in returns with a code in the fragment, which no referrer has. The address itself is private, too.
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
} as const;

/**
 * Lets the page load its own files, and talk to this server only: to the administration API beside it, and to the issuer for tokens
 * and for the sign-out. No script can make markup of text, because no Trusted Types policy is allowed.
 */
function contentSecurityPolicy(issuer: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${issuer}`,
    `form-action ${issuer}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
