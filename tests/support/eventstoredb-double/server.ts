import { EventEmitter } from 'node:events';
import featureServices from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import streamServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import * as grpc from '@grpc/grpc-js';
import { appendHandler } from './append.js';
import { batchAppendHandler } from './batch-append.js';
import { createFaults, createOpenCalls, failure, type Moment, type Node, type Rpc } from './faults.js';
import { createLog, type StoredEvent } from './log.js';
import { readHandler } from './read.js';

type LoggedEvent = {
  readonly stream: string;
  readonly type: string;
  readonly revision: number;
  readonly position: bigint;
  /** Parsed when the event is JSON, text otherwise. */
  readonly data: unknown;
};

export type EventStoreDouble = {
  readonly url: string;
  /** Everything stored, links included, in the order of $all. */
  readonly log: readonly LoggedEvent[];
  /** The next calls of a kind fail; `after`: once the append is committed or the events were read. Replaces earlier plans. */
  fail(rpc: Rpc, status: grpc.status, times?: number, when?: Moment): void;
  /** Calls made while on are never answered and commit nothing; subscriptions open already pause. */
  mute(on: boolean): void;
  /** How many calls and appends muting has left without an answer so far. */
  readonly unanswered: number;
  /** Appends are committed and not answered. */
  muteAfterCommit(on: boolean): void;
  /** Category links are not written while on, and catch up in order afterwards. */
  categoriesLag(on: boolean): void;
  /** Every open call fails as when a node goes away; the node goes on. */
  dropConnections(): void;
  /** Stops listening and drops every call; what was stored stays. */
  stop(): Promise<void>;
  /** Listens again, on the same port. */
  start(): Promise<void>;
  close(): Promise<void>;
};

type Options = { readonly batchAppend?: boolean; readonly categories?: boolean };

const maxMessageBytes = 17 * 1024 * 1024;
/** How long a connection may take to end by itself before it is cut. */
const shutdownGraceMs = 1_000;

/** An EventStoreDB node in this process, on a free port, speaking gRPC as the real one does. */
export const startEventStoreDouble = async (options: Options = {}): Promise<EventStoreDouble> => {
  const { batchAppend = true, categories = true } = options;
  const { node, changed } = createNode(categories);
  let server: grpc.Server | undefined = createServer(node, batchAppend);
  const port = await listen(server, 0);
  const stop = async () => {
    const stopping = server;
    server = undefined;
    if (stopping) await shutDown(stopping, node);
  };
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    get log() {
      return node.log.all.map(logged);
    },
    get unanswered() {
      return node.faults.unanswered;
    },
    fail: (rpc, status, times = 1, when = 'before') => node.faults.fail(rpc, status, times, when),
    mute: (on) => {
      node.faults.muted = on;
      changed();
    },
    muteAfterCommit: (on) => {
      node.faults.mutedAfterCommit = on;
    },
    categoriesLag: node.log.categoriesLag,
    dropConnections: () => node.calls.failAll(failure(grpc.status.UNAVAILABLE, 'the node goes away')),
    stop,
    start: async () => {
      if (server) return;
      server = createServer(node, batchAppend);
      node.calls.open();
      await listen(server, port);
    },
    close: stop,
  };
};

const createNode = (categories: boolean): { node: Node; changed(): void } => {
  const changes = new EventEmitter().setMaxListeners(0);
  const changed = () => void changes.emit('change');
  const node: Node = {
    log: createLog({ categories, grown: changed }),
    faults: createFaults(),
    calls: createOpenCalls(),
    watch: (listener) => {
      changes.on('change', listener);
      return () => void changes.off('change', listener);
    },
  };
  return { node, changed };
};

/** grpc-js servers listen once in their life, so each start needs a new one. */
const createServer = (node: Node, batchAppend: boolean): grpc.Server => {
  const server = new grpc.Server({ 'grpc.max_receive_message_length': maxMessageBytes });
  server.addService(featureServices.ServerFeaturesService, { getSupportedMethods: featuresHandler(node, batchAppend) });
  server.addService(streamServices.StreamsService, {
    append: appendHandler(node),
    batchAppend: batchAppendHandler(node),
    read: readHandler(node),
  });
  return server;
};

const featuresHandler =
  ({ faults, calls }: Node, batchAppend: boolean): grpc.handleUnaryCall<Empty, SupportedMethods> =>
  (call, callback) => {
    if (faults.muted) {
      faults.unanswered++;
      call.on('cancelled', calls.track(callback));
      return;
    }
    const supported = new features.SupportedMethods().setEventStoreServerVersion('24.10.0');
    for (const name of ['Read', 'Append', ...(batchAppend ? ['BatchAppend'] : [])])
      supported.addMethods(
        new features.SupportedMethod().setServiceName('event_store.client.streams.Streams').setMethodName(name),
      );
    callback(null, supported);
  };

const listen = (server: grpc.Server, port: number): Promise<number> =>
  new Promise((resolve, reject) =>
    server.bindAsync(`127.0.0.1:${port}`, grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );

/** Calls get their status before the connection ends: one cut at once would be CANCELLED to the client. */
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
