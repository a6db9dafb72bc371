/**
 * Relies on what Node does not document, as `plain-requests.ts` does: `push` as the parser calls it, `_read`, `_consuming`,
 * `_header`, `shouldKeepAlive`. Both save more than half of the cost of a request beside its system calls (ADR 27, ADR 109).
 * `messagesOfThisNode` tries them when the program starts and falls back to `DOCUMENTED_MESSAGES`.
 */
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import {
  DOCUMENTED_MESSAGES,
  type Messages,
  onEachRequest,
  type Request,
  type Response,
  type WholeRequest,
  type WholeResponse,
} from './messages.ts';
import { PlainRequest, PlainRequests } from './plain-requests.ts';
import { type RequestHeaders, readHeaders } from './raw-headers.ts';
import { BodyMemory, type BodyReader, type DropListener, type RequestBody } from './request-body.ts';

const NO_HEADERS: RequestHeaders = Object.freeze(Object.create(null));

/**
 * A request without Node's stream around its body. It takes each piece where the parser hands it over (`push`) and tells
 * the end at once, also before `readBody`.
 */
class InternalRequest extends IncomingMessage implements WholeRequest {
  /** `http.createServer` reads this to know whether the body is being consumed. */
  declare _consuming: boolean;
  readonly #body: RequestBody;
  #fields: RequestHeaders | string | undefined;

  constructor(socket: Socket, body: RequestBody) {
    super(socket);
    this.#body = body;
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
class InternalResponse extends ServerResponse<WholeRequest> implements WholeResponse {
  declare _header: string;

  get isOver(): boolean {
    return this.writableFinished && this.req.complete;
  }

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

  whole(): this {
    return this;
  }
}

export const INTERNAL_MESSAGES: Messages = {
  requestsUpTo: (limits) => PlainRequest.upTo(limits) as unknown as typeof IncomingMessage,
  response: InternalResponse,
  receive(server, received) {
    const plain = new PlainRequests(server, received, (socket, body) => new InternalRequest(socket, body));
    onEachRequest(server, (request, response) => {
      if (!plain.takesBack(request, response)) received(request, response);
    });
    // Node's own listener comes first and gives the connection its parser.
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) =>
      plain.follow(socket),
    );
  },
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
/** The trial sends one question, and two at once when it has its answer. */
const ANSWERS = 3;

/** Tells whether three requests on one connection in memory get the answers that were written, and nothing else. */
export async function serves(messages: Messages, trial_ms = 1_000): Promise<boolean> {
  const memory = new BodyMemory(ANSWERS * BODY.length);
  const IncomingMessage = messages.requestsUpTo({ body_bytes: BODY.length, memory });
  try {
    // Node's parser would make an uncaught exception of what a constructor throws.
    void new messages.response(new IncomingMessage(new Socket()));
  } catch {
    return false;
  }
  const server = createServer({ IncomingMessage, ServerResponse: messages.response });
  const answer = `${READY_HEAD}${BODY}`;
  let answered = '';
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const connection = Object.assign(
    new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        answered += chunk.toString('latin1');
        if (answered === answer) connection.push(QUESTION.repeat(ANSWERS - 1));
        if (answered.length >= ANSWERS * answer.length) resolve(answered === answer.repeat(ANSWERS));
        done();
      },
    }),
    { setTimeout: () => connection },
  );
  const timer = setTimeout(resolve, trial_ms, false);
  server.on('clientError', () => resolve(false));
  const answerTo = (request: Request, reply: Response, body: string): void => {
    const isUnderstood = typeof request.fields === 'object' && request.fields['host'] === 'h';
    try {
      if (!isUnderstood || !reply.sendReady(200, READY_HEAD, body, 'latin1')) resolve(false);
    } catch {
      resolve(false);
    }
  };
  messages.receive(server, (request, reply) => {
    // Later, so that the last two requests wait for their answers together.
    request.readBody((body) => setImmediate(answerTo, request, reply, body.toString()));
  });
  try {
    server.emit('connection', connection);
  } catch {
    resolve(false);
  }
  connection.push(QUESTION);
  const well = await promise;
  clearTimeout(timer);
  connection.destroy();
  server.close();
  return well;
}
