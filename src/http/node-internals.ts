/**
 * The only file of the edge that relies on what Node does not document: `push` as the parser calls it, `_read`,
 * `_consuming`, `_header`, `shouldKeepAlive`. It saves about half of the cost of a request (ADR 27). `messagesOfThisNode`
 * tries it when the program starts and falls back to `DOCUMENTED_MESSAGES`.
 */
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { DOCUMENTED_MESSAGES, type Messages, type Request, type Response } from './messages.ts';
import { type RequestHeaders, readHeaders } from './raw-headers.ts';
import {
  type BodyLimits,
  BodyMemory,
  type BodyReader,
  type DropListener,
  RequestBody,
} from './request-body.ts';

const NO_HEADERS: RequestHeaders = Object.freeze(Object.create(null));

/**
 * A request without Node's stream around its body. It takes each piece where the parser hands it over (`push`) and tells
 * the end at once, also before `readBody`.
 */
class InternalRequest extends IncomingMessage implements Request {
  /** `http.createServer` reads this to know whether the body is being consumed. */
  declare _consuming: boolean;
  readonly #body: RequestBody;
  #fields: RequestHeaders | string | undefined;

  constructor(socket: Socket, limits: BodyLimits) {
    super(socket);
    this.#body = new RequestBody(limits);
    this._consuming = true;
  }

  get fields(): RequestHeaders | string {
    this.#fields ??= readHeaders(this.rawHeaders, this.httpVersion);
    return this.#fields;
  }

  static {
    Object.defineProperties(InternalRequest.prototype, {
      // Node's server reads `Expect` here, and `TE` of HTTP/1.0. Parsing the lines a second time would give the same.
      headers: {
        get(this: InternalRequest): RequestHeaders {
          return typeof this.fields === 'string' ? NO_HEADERS : this.fields;
        },
      },
      readableEnded: {
        get(this: InternalRequest): boolean {
          return this.#body.ended;
        },
      },
    });
  }

  /** Only Node's parser calls this: with each piece of the body, and with null at its end. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null) this.#body.end();
    else this.#body.add(chunk, this.fields);
    return true;
  }

  override _read(): void {
    // There is no stream to fill.
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#body.forget();
    super._destroy(error, done);
  }

  readBody(reader: BodyReader): void {
    this.#body.read(reader);
  }

  dropBody(listener: DropListener = () => undefined): void {
    this.#body.drop(listener);
  }

  releaseBody(): void {
    this.#body.forget();
  }
}

/** A response that can be written with a head that is ready. */
class InternalResponse extends ServerResponse<Request> implements Response {
  declare _header: string;

  /**
   * Puts the head where `writeHead` would have put it. Node does the rest: the order of pipelined answers, the end of the
   * response, the connection's life.
   */
  sendReady(status: number, head: string, body: string, encoding: 'latin1' | 'utf8'): boolean {
    const { method, headers } = this.req;
    if (!this.shouldKeepAlive || method === 'HEAD' || headers.expect !== undefined) return false;
    this.statusCode = status;
    this._header = head;
    this.end(body, encoding);
    return true;
  }
}

export const INTERNAL_MESSAGES: Messages = {
  requestsUpTo: (limits) =>
    class extends InternalRequest {
      constructor(socket: Socket) {
        super(socket, limits);
      }
    },
  response: InternalResponse,
};

let tried: Promise<Messages> | undefined;

/** Returns the internal messages if this Node serves them, otherwise the documented ones. Tries once per process. */
export function messagesOfThisNode(): Promise<Messages> {
  tried ??= serves(INTERNAL_MESSAGES).then((well) => (well ? INTERNAL_MESSAGES : DOCUMENTED_MESSAGES));
  return tried;
}

const BODY = 'ping';
const QUESTION = `POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
const READY_HEAD = `HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: ${BODY.length}\r\n\r\n`;

/** Tells whether two requests on one connection in memory get the answers that were written, and nothing else. */
export async function serves(
  { requestsUpTo, response: ServerResponse }: Messages,
  trial_ms = 1_000,
): Promise<boolean> {
  const memory = new BodyMemory(2 * BODY.length);
  const IncomingMessage = requestsUpTo({ body_bytes: BODY.length, memory });
  try {
    // Node's parser would make an uncaught exception of what a constructor throws.
    void new ServerResponse(new IncomingMessage(new Socket()));
  } catch {
    return false;
  }
  const server = createServer({ IncomingMessage, ServerResponse });
  const expected = `${READY_HEAD}${BODY}`.repeat(2);
  let answered = '';
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const connection = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      answered += chunk.toString('latin1');
      if (answered.length >= expected.length) resolve(answered === expected);
      done();
    },
  });
  const timer = setTimeout(resolve, trial_ms, false);
  server.on('clientError', () => resolve(false));
  server.on('request', (request: Request, reply: Response) => {
    try {
      request.readBody((body) => {
        const text = body.toString();
        if (request.headers.host !== 'h' || !reply.sendReady(200, READY_HEAD, text, 'latin1')) resolve(false);
      });
    } catch {
      resolve(false);
    }
  });
  server.emit('connection', connection);
  connection.push(QUESTION.repeat(2));
  const well = await promise;
  clearTimeout(timer);
  connection.destroy();
  server.close();
  return well;
}
