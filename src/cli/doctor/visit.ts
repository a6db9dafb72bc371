/** An answer over HTTP. Redirects are not followed. */
export interface Answer {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined if it is none. */
  readonly json: unknown;
}

export interface Unreachable {
  readonly url: string;
  /** Why there is no answer, in one line. */
  readonly failure: string;
}

export type Visit = (url: string, init?: RequestInit) => Promise<Answer | Unreachable>;

const TIMEOUT_MS = 10_000;
const BODY_BYTES_MAX = 2_000_000;

/** Sends one request. Bounds the time and the size of the answer. */
export const visit: Visit = async (url, init = {}) => {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { redirect: 'manual', ...init, signal });
    const text = await boundedText(response);
    return { url, status: response.status, headers: response.headers, text, json: jsonOf(text) };
  } catch (failure) {
    return { url, failure: reasonOf(failure) };
  }
};

export const isAnswer = (visited: Answer | Unreachable): visited is Answer => 'status' in visited;

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error(`the answer has more than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `fetch` hides the reason in causes. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  if (failure.name === 'TimeoutError') return `no answer in ${TIMEOUT_MS / 1000} s`;
  return failure.cause instanceof Error ? reasonOf(failure.cause) : failure.message;
}
