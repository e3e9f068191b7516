import { EventEmitter } from 'node:events';
import featureServices from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import streamServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import * as grpc from '@grpc/grpc-js';
import manyServices from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v2/streams/streams_grpc_pb.js';
import { appendHandler } from './append.js';
import { batchAppendHandler } from './batch-append.js';
import { deleteHandler, tombstoneHandler } from './erase.js';
import type { StoredEvent } from './events.js';
import {
  createFaults,
  createOpenCalls,
  failure,
  type Moment,
  type Node,
  type Rpc,
  steady,
  type Trailers,
} from './faults.js';
import { createLog } from './log.js';
import { appendRecordsHandler, appendSessionHandler, type ManyCall } from './many-append.js';
import { readHandler } from './read.js';
import { frozen } from './role.js';

type LoggedEvent = {
  readonly stream: string;
  readonly type: string;
  readonly revision: number;
  readonly position: bigint;
  /** Data of the event: the parsed value if it is JSON, the text if not. */
  readonly data: unknown;
};

export type EventStoreDouble = {
  readonly url: string;
  /** Stored events with their links, in the order of $all. */
  readonly log: readonly LoggedEvent[];
  /**
   * Makes the next `times` calls of a kind fail. With `after`, the calls fail after they have taken effect. Replaces an
   * earlier plan for the same kind.
   */
  fail(rpc: Rpc, status: grpc.status, times?: number, when?: Moment, trailers?: Trailers): void;
  /** Leaves new calls unanswered and without effect, and pauses open subscriptions, while `on` is true. */
  mute(on: boolean): void;
  /** Number of calls and appends that got no answer because of `mute` or `muteAfterCommit`. */
  readonly unanswered: number;
  /** Number of appends that arrived. */
  readonly appends: number;
  /** Commits appends without answering them while `on` is true. */
  muteAfterCommit(on: boolean): void;
  /** Holds back answers to appends while `on` is true; `holdAnswers(false)` sends them in order. */
  holdAnswers(on: boolean): void;
  /** Number of answers that are held back. */
  readonly heldAnswers: number;
  /** Sends answers to appends `ms` milliseconds apart, as a busy server does; 0 sends them at once. */
  answerEvery(ms: number): void;
  /**
   * Holds back the links in category streams while `on` is true: in all, or only in those whose category contains
   * `only`.
   */
  categoriesLag(on: boolean, only?: string): void;
  /**
   * Calls `act` with the stream's name before each read is served, so that a test can act like another process between
   * two reads.
   */
  beforeRead(act: (stream: string | undefined) => unknown): void;
  /** Sends the events of reads `ms` milliseconds apart, and makes each read fail after `breaksAfter` events. */
  readPace(pace: { readonly ms?: number; readonly breaksAfter?: number }): void;
  /**
   * Makes the node a follower of a new leader, which listens on its own port. The follower serves only the events that
   * it has now, until `catchUp` is called.
   */
  demote(): Promise<void>;
  catchUp(): void;
  /** Fails every open call as if the node had gone away; the node keeps running. */
  dropConnections(): void;
  /** Stops listening and drops every call, but keeps the stored events. */
  stop(): Promise<void>;
  /** Listens again, on the same port. */
  start(): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  readonly batchAppend?: boolean;
  readonly categories?: boolean;
  readonly maxBytes?: number;
  /** Supported KurrentDB calls for appends to several streams; none by default, as in EventStoreDB. */
  readonly manyStreams?: readonly ManyCall[];
};

/** Default of the server's setting MaxAppendSize. */
const defaultBytes = 1_048_576;

const service = 'event_store.client.streams.Streams';
const manyService = 'kurrentdb.protocol.v2.streams.StreamsService';
const maxMessageBytes = 17 * 1024 * 1024;
/** Grace period of a shutdown, after which open connections are closed by force. */
const shutdownGraceMs = 1_000;

/**
 * Starts a double of an EventStoreDB node in this process on a free port. The double speaks gRPC as a real node does.
 */
export const startEventStoreDouble = async (options: Options = {}): Promise<EventStoreDouble> => {
  const { batchAppend = true, categories = true, maxBytes = defaultBytes, manyStreams = [] } = options;
  const methods = [
    ...['Read', 'Append', ...(batchAppend ? ['BatchAppend'] : [])].map((name) => `${service}/${name}`),
    ...manyStreams.map((name) => `${manyService}/${name}`),
  ];
  const { node, changed } = createNode(categories, maxBytes);
  let server: grpc.Server | undefined = createServer(node, methods);
  const port = await listen(server, 0);
  let leader: grpc.Server | undefined;
  const stop = async () => {
    const stopping = [server, leader].flatMap((one) => one ?? []);
    server = undefined;
    await Promise.all(stopping.map((one) => shutDown(one, node)));
  };
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    get log() {
      return node.log.all.map(logged);
    },
    get appends() {
      return node.faults.appends;
    },
    get unanswered() {
      return node.faults.unanswered;
    },
    fail: (rpc, status, times = 1, when = 'before', trailers = {}) =>
      node.faults.fail(rpc, status, times, when, trailers),
    mute: (on) => {
      node.faults.muted = on;
      changed();
    },
    muteAfterCommit: (on) => {
      node.faults.mutedAfterCommit = on;
    },
    holdAnswers: node.faults.hold,
    answerEvery: node.faults.pace,
    get heldAnswers() {
      return node.faults.held;
    },
    categoriesLag: node.log.categoriesLag,
    beforeRead: (act) => {
      node.faults.beforeRead = act;
    },
    readPace: (pace) => {
      node.faults.readPace = { ...steady, ...pace };
    },
    demote: async () => {
      leader = createServer({ ...node, role: { leaderPort: null, seen: node.log } }, methods);
      node.role.seen = frozen(node.log);
      node.role.leaderPort = await listen(leader, 0);
    },
    catchUp: () => {
      node.role.seen = node.log;
    },
    dropConnections: () => node.calls.failAll(failure(grpc.status.UNAVAILABLE, 'the node goes away')),
    stop,
    start: async () => {
      if (server) return;
      server = createServer(node, methods);
      node.calls.open();
      await listen(server, port);
    },
    close: stop,
  };
};

const createNode = (categories: boolean, maxBytes: number): { node: Node; changed(): void } => {
  const changes = new EventEmitter().setMaxListeners(0);
  const changed = () => void changes.emit('change');
  const log = createLog({ categories, onWrite: changed });
  const node: Node = {
    log,
    role: { leaderPort: null, seen: log },
    faults: createFaults(),
    maxBytes,
    calls: createOpenCalls(),
    watch: (listener) => {
      changes.on('change', listener);
      return () => void changes.off('change', listener);
    },
  };
  return { node, changed };
};

/** Makes a server for one start, because a grpc-js server listens only once. */
const createServer = (node: Node, methods: readonly string[]): grpc.Server => {
  const server = new grpc.Server({ 'grpc.max_receive_message_length': maxMessageBytes });
  server.addService(featureServices.ServerFeaturesService, { getSupportedMethods: featuresHandler(node, methods) });
  server.addService(streamServices.StreamsService, {
    append: appendHandler(node),
    batchAppend: batchAppendHandler(node),
    read: readHandler(node),
    delete: deleteHandler(node),
    tombstone: tombstoneHandler(node),
  });
  server.addService(manyServices.StreamsServiceService, {
    appendSession: appendSessionHandler(node),
    appendRecords: appendRecordsHandler(node),
  });
  return server;
};

const featuresHandler =
  ({ faults, calls }: Node, methods: readonly string[]): grpc.handleUnaryCall<Empty, SupportedMethods> =>
  (call, callback) => {
    if (faults.muted) {
      faults.unanswered++;
      call.on('cancelled', calls.track(callback));
      return;
    }
    const isMany = methods.some((method) => method.startsWith(manyService));
    const supported = new features.SupportedMethods().setEventStoreServerVersion(isMany ? '26.1.0' : '24.10.0');
    for (const method of methods) {
      const [service = '', name = ''] = method.split('/');
      supported.addMethods(new features.SupportedMethod().setServiceName(service).setMethodName(name));
    }
    callback(null, supported);
  };

const listen = (server: grpc.Server, port: number): Promise<number> =>
  new Promise((resolve, reject) =>
    server.bindAsync(`127.0.0.1:${port}`, grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );

/**
 * Shuts a server down. Each call gets its status before the connection ends; otherwise the client would see CANCELLED.
 */
const shutDown = (server: grpc.Server, { calls }: Node): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => server.forceShutdown(), shutdownGraceMs);
    server.tryShutdown(() => {
      clearTimeout(cut);
      resolve();
    });
    calls.shut(failure(grpc.status.UNAVAILABLE, 'the node stops'));
  });

const logged = ({ stream, type, revision, position, contentType, data }: StoredEvent): LoggedEvent => {
  const text = Buffer.from(data).toString('utf8');
  return { stream, type, revision, position, data: contentType === 'application/json' ? JSON.parse(text) : text };
};
