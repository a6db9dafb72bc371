import type { RefusalNotes } from './errors.ts';

/** The codes of problem details that are no error codes of OAuth: status and title (RFC 9457 §3.1). */
export const PROBLEMS = {
  unknown_parameter: { status: 400, title: 'The request has a parameter that is not known.' },
  invalid_parameter: { status: 400, title: 'A parameter of the request is not valid.' },
  invalid_body: { status: 400, title: 'The body of the request is not valid.' },
  not_found: { status: 404, title: 'There is no such resource.' },
  conflict: { status: 409, title: 'The state of the resource does not permit this.' },
  idempotency_key_in_use: {
    status: 409,
    title: 'The outcome of the first request with this key is not known.',
  },
  precondition_failed: { status: 412, title: 'The resource has changed.' },
  range_not_satisfiable: { status: 416, title: 'The file has no such range.' },
  request_rejected: { status: 422, title: 'The request is well-formed, and cannot be followed.' },
  idempotency_key_reused: { status: 422, title: 'The key belongs to another request.' },
  precondition_required: { status: 428, title: 'The request needs If-Match.' },
  too_many_requests: { status: 429, title: 'Too many requests.' },
  server_error: { status: 500, title: 'The server failed.' },
  temporarily_unavailable: { status: 503, title: 'The server cannot decide now.' },
  insufficient_storage: { status: 507, title: 'A disk of the server has too little room.' },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

/** One member or parameter that is wrong. */
export interface Mistaken {
  /** A JSON pointer into the body (RFC 6901), or the name of a parameter or header. */
  readonly pointer: string;
  readonly detail: string;
}

export interface ProblemWords extends Pick<RefusalNotes, 'client' | 'values'> {
  readonly errors?: readonly Mistaken[];
  /** Headers of the answer; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Ends a request of the administration API. The renderer turns it into problem details (RFC 9457). */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: readonly Mistaken[] | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly notes: RefusalNotes;

  /** @param detail for the caller; never a cause, a path or a secret */
  constructor(code: ProblemCode, detail: string, { errors, headers, ...notes }: ProblemWords = {}) {
    super(`${code}: ${detail}`);
    this.code = code;
    this.detail = detail;
    this.errors = errors;
    this.headers = headers;
    this.notes = notes;
  }
}

/** Makes the refusal of an address that names nothing. */
export const notFound = (what: string): Problem => new Problem('not_found', `there is no such ${what}`);
