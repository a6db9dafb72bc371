/**
 * Relies on what Node does not document: what its parser calls and sets on a request, `onIncoming`, `incoming`, `_httpMessage`
 * and `_paused`. The trial in `node-internals.ts` finds a Node that lacks them.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Received, Request, Response, WholeRequest, WholeResponse } from './messages.ts';
import { type RequestHeaders, readHeaders } from './raw-headers.ts';
import { type BodyLimits, type BodyReader, type DropListener, RequestBody } from './request-body.ts';

/** Node's parser as the server leaves it on a connection. */
interface Parser {
  incoming: ParsedRequest | null;
  /** Gives a request its response and hands both to the server. */
  onIncoming: (request: ParsedRequest, shouldKeepAlive: boolean) => number;
}

type ParsedRequest = PlainRequest | WholeRequest;

interface Connection extends Socket {
  parser: Parser | null;
  /** The response whose turn it is. Node leaves a connection open while it is not `finished`. */
  _httpMessage: unknown;
  _paused: boolean;
}

/** Makes the request that Node's own response goes with. */
type MakeWhole = (socket: Socket, body: RequestBody) => WholeRequest;

/**
 * A request as Node's parser makes it, without Node's stream, events and abort signal. It is enough for a request whose answer is
 * one text. `whole` makes Node's own request of it.
 */
export class PlainRequest implements Request {
  readonly socket: Socket;
  httpVersionMajor = 1;
  httpVersionMinor = 1;
  httpVersion = '1.1';
  declare url: string | undefined;
  declare method: string | undefined;
  upgrade = false;
  joinDuplicateHeaders: boolean | undefined;
  /** Whether it has arrived in full. */
  complete = false;
  readonly #body: RequestBody;
  #lines: readonly string[] = [];
  #fields: RequestHeaders | string | undefined;

  constructor(socket: Socket, limits: BodyLimits) {
    this.socket = socket;
    this.#body = new RequestBody(limits);
  }

  /** Returns a class that Node's parser can make requests of. */
  static upTo(limits: BodyLimits): new (socket: Socket) => PlainRequest {
    return class extends PlainRequest {
      constructor(socket: Socket) {
        super(socket, limits);
      }
    };
  }

  get fields(): RequestHeaders | string {
    this.#fields ??= readHeaders(this.#lines, this.httpVersion);
    return this.#fields;
  }

  /** Node's parser calls this with the header lines, and with trailers at the end of the request, which are dropped. */
  _addHeaderLines(lines: readonly string[]): void {
    if (!this.complete) this.#lines = lines;
  }

  /** Node's parser calls this with each piece of the body, and with null at its end. */
  push(chunk: Buffer | null): boolean {
    if (chunk === null) this.#body.end();
    else this.#body.add(chunk, this.fields);
    return true;
  }

  /** Node tells that nothing moved on the connection for its time limit. */
  emit(): boolean {
    return false;
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

  /** Returns the same request as Node's own. The body is shared. */
  whole(make: MakeWhole): WholeRequest {
    const { httpVersionMajor, httpVersionMinor, httpVersion, url, method, upgrade, complete } = this;
    const whole = make(this.socket, this.#body);
    const parsed = { httpVersionMajor, httpVersionMinor, httpVersion, url, method, upgrade, complete };
    return Object.assign(whole, parsed, { rawHeaders: this.#lines });
  }
}

/** The answer to a plain request: one text, written to the socket. Any other answer goes through Node's own response. */
class PlainResponse implements Response {
  /** Node reads this. */
  finished = false;
  readonly #request: PlainRequest;
  readonly #follower: Follower;
  #whole: WholeResponse | undefined;

  constructor(request: PlainRequest, follower: Follower) {
    this.#request = request;
    this.#follower = follower;
  }

  get request(): PlainRequest {
    return this.#request;
  }

  get headersSent(): boolean {
    return this.finished || this.#whole?.headersSent === true;
  }

  get isOver(): boolean {
    return this.#whole === undefined ? this.finished && this.#request.complete : this.#whole.isOver;
  }

  sendReady(status: number, head: string, body: string, encoding: 'latin1' | 'utf8'): boolean {
    // Node knows until when a long answer is on its way. Until then the connection is not idle.
    const whole = head.length + body.length < this.#follower.room ? this.#whole : this.whole();
    if (whole !== undefined) return whole.sendReady(status, head, body, encoding);
    this.finished = true;
    this.#follower.write(head + body, encoding);
    return true;
  }

  whole(): WholeResponse | undefined {
    if (this.#whole === undefined && !this.finished) this.#whole = this.#follower.wholeOf(this);
    return this.#whole;
  }

  /** Node tells that nothing moved on the connection for its time limit. Returns whether the connection stays. */
  emit(): boolean {
    return this.#follower.outlastsKeepAlive(this);
  }
}

/** Lets the plain requests of a server pass by Node's objects. All others take Node's way. */
export class PlainRequests {
  readonly #server: Server;
  readonly #received: Received;
  readonly #make: MakeWhole;
  /** The request for which Node makes a response at this moment, and that response. */
  #underway: { readonly request: WholeRequest; response: WholeResponse | undefined } | undefined;

  constructor(server: Server, received: Received, make: MakeWhole) {
    this.#server = server;
    this.#received = received;
    this.#make = make;
  }

  /**
   * Takes the requests of a connection from its parser.
   * @throws TypeError if this Node's server leaves no such parser
   */
  follow(socket: Socket): void {
    const { parser } = socket as Connection;
    // The connection was refused.
    if (socket.destroyed) return;
    if (typeof parser?.onIncoming !== 'function') throw new TypeError('a connection has no parser');
    const follower = new Follower(socket as Connection, parser, this);
    parser.onIncoming = (request, shouldKeepAlive) => follower.take(request as PlainRequest, shouldKeepAlive);
    socket.once('close', () => follower.forget());
  }

  get server(): Server {
    return this.#server;
  }

  received(request: PlainRequest, response: PlainResponse): void {
    this.#received(request, response);
  }

  wholeRequest(request: PlainRequest): WholeRequest {
    return request.whole(this.#make);
  }

  /** Keeps the response that Node has made for a request which was received already; returns whether it is one. */
  takesBack(request: WholeRequest, response: WholeResponse): boolean {
    if (this.#underway?.request !== request) return false;
    this.#underway.response = response;
    return true;
  }

  /** Lets Node make a response. It hands request and response to the server at once, which is no second request. */
  responseBy(act: () => void, request: WholeRequest): WholeResponse | undefined {
    const underway = { request, response: undefined as WholeResponse | undefined };
    this.#underway = underway;
    try {
      act();
    } finally {
      this.#underway = undefined;
    }
    return underway.response;
  }
}

/** The methods of plain requests. */
const METHODS: ReadonlySet<string | undefined> = new Set([
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

/** Node keeps an idle connection for this much longer than it announces. */
const KEEP_ALIVE_BUFFER_MS = 1_000;

/** Follows the requests of one connection. */
class Follower {
  readonly #socket: Connection;
  readonly #parser: Parser;
  readonly #all: PlainRequests;
  /** An answer of fewer characters is written at once, unless the client has not read much of the earlier ones. */
  readonly room: number;
  /** Node's way. */
  readonly #onIncoming: Parser['onIncoming'];
  /** The last plain response. */
  #last: PlainResponse | undefined;
  /** Whether the socket got the time limit of an idle connection for plain requests. */
  #isKept = false;

  constructor(socket: Connection, parser: Parser, all: PlainRequests) {
    this.#socket = socket;
    this.#parser = parser;
    this.#all = all;
    this.room = socket.writableHighWaterMark;
    this.#onIncoming = parser.onIncoming;
  }

  /** Gives back the memory of the last body. Node does the same for its own requests when a connection has closed. */
  forget(): void {
    if (this.#last?.isOver === false) this.#last.request.releaseBody();
  }

  /** Takes a request whose head has arrived. Returns what the parser expects: 0 for a request with a body like any other. */
  take(request: PlainRequest, shouldKeepAlive: boolean): number {
    // Answers go out in the order of their requests: Node does that once it knows both.
    this.#last?.whole();
    if (!shouldKeepAlive || !this.#isPlain(request)) {
      return this.#nodesWay(this.#all.wholeRequest(request), request, shouldKeepAlive);
    }
    this.#keep();
    const response = new PlainResponse(request, this);
    this.#last = response;
    this.#socket._httpMessage = response;
    this.#all.received(request, response);
    return 0;
  }

  #isPlain(request: PlainRequest): boolean {
    const { httpVersion, method, upgrade, fields } = request;
    const { _httpMessage, _paused, writableLength } = this.#socket;
    return (
      httpVersion === '1.1' &&
      METHODS.has(method) &&
      !upgrade &&
      typeof fields === 'object' &&
      fields['expect'] === undefined &&
      // Another answer is under way, or the client does not read.
      !_httpMessage &&
      !_paused &&
      writableLength === 0
    );
  }

  /** Gives the socket the time limit of an idle connection. It lasts until a request takes Node's way, and Node gives it again after that. */
  #keep(): void {
    const { keepAliveTimeout } = this.#all.server;
    if (this.#isKept || keepAliveTimeout === 0) return;
    this.#socket.setTimeout(keepAliveTimeout + KEEP_ALIVE_BUFFER_MS);
    this.#isKept = true;
  }

  #nodesWay(whole: WholeRequest, request: PlainRequest, shouldKeepAlive: boolean): number {
    if (this.#isKept) this.#socket.setTimeout(this.#all.server.timeout);
    if (this.#parser.incoming === request) this.#parser.incoming = whole;
    return this.#onIncoming(whole, shouldKeepAlive);
  }

  /** Writes the answer to the last request. */
  write(text: string, encoding: 'latin1' | 'utf8'): void {
    const socket = this.#socket;
    socket._httpMessage = null;
    if (socket.writable) socket.write(text, encoding);
  }

  /** Tells whether the limit was that of an idle connection, although an answer is due. From then on the limit of a stalled one holds. */
  outlastsKeepAlive(response: PlainResponse): boolean {
    return this.#isKept && response.whole() !== undefined;
  }

  /** Lets Node make its own response for a plain request that has no answer yet. */
  wholeOf({ request }: PlainResponse): WholeResponse | undefined {
    this.#socket._httpMessage = null;
    const whole = this.#all.wholeRequest(request);
    return this.#all.responseBy(() => this.#nodesWay(whole, request, true), whole);
  }
}
