import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { type handleServerStreamingCall, type ServerWritableStream, status } from '@grpc/grpc-js';
import { type Failure, failure, type Node, streamDeleted } from './faults.js';
import { eventMessage, streamIdentifier, streamNameIn, withPosition } from './messages.js';
import { type ReadRequest, readRequest } from './read-request.js';
import { notLeader } from './role.js';

/** Creates the handler of reads of streams and $all in both directions, and of both kinds of subscription. */
export const readHandler =
  (node: Node): handleServerStreamingCall<ReadReq, ReadResp> =>
  (call) => {
    const sink = createSink(node, call);
    if (node.faults.muted) return void node.faults.unanswered++;
    const problem = node.faults.due('read', 'before') ?? notLeader(node, call);
    if (problem) return sink.fail(problem);
    serve(node, call.request, sink).catch((error: unknown) => sink.fail(failure(status.INTERNAL, String(error))));
  };

const serve = async (node: Node, asked: ReadReq, sink: Sink): Promise<void> => {
  await node.faults.beforeRead(streamNameIn(asked.getOptions()?.getStream()?.getStreamIdentifier()) || undefined);
  const request = readRequest(node.role.seen, asked);
  if (request.refusal === 'invalid position') return sink.fail(invalidPosition(request));
  if (request.refusal === 'stream deleted') return sink.fail(streamDeleted(request.stream ?? ''));
  return request.subscription ? subscribe(node, request, sink) : read(node, request, sink);
};

/** Returns the error for a read from a position at which no event begins. */
const invalidPosition = ({ subscription }: ReadRequest) =>
  failure(status.UNKNOWN, `Unexpected ${subscription ? 'FilteredReadAllResult' : 'ReadAllResult'}: Error`);

/** Output of one call, which waits while the client is slow or the node is muted, and ends with the call. */
type Sink = {
  readonly open: boolean;
  /** True while the client accepts no more data. */
  readonly full: boolean;
  send(message: ReadResp): Promise<void>;
  /** Waits until the log or `faults.muted` changes, or until the call ends. */
  change(): Promise<void>;
  fail(problem: Failure): void;
  end(): void;
};

const createSink = ({ calls, faults, watch }: Node, call: ServerWritableStream<ReadReq, ReadResp>): Sink => {
  let open = true;
  let full = false;
  let changed = () => {};
  let drained = () => {};
  const close = () => {
    open = false;
    forget();
    unwatch();
    changed();
    drained();
  };
  // Emits the error rather than destroying the call: after `call.destroy`, grpc-js sends no status, and the client
  // would wait forever.
  const fail = (problem: Failure) => {
    if (!open) return;
    close();
    call.emit('error', problem);
  };
  const forget = calls.track(fail);
  const unwatch = watch(() => changed());
  call.on('cancelled', close);
  call.on('drain', () => drained());
  const change = () => new Promise<void>((resolve) => (changed = resolve));
  return {
    get open() {
      return open;
    },
    get full() {
      return full;
    },
    change,
    send: async (message) => {
      while (open && faults.muted) await change();
      if (!open || call.write(message)) return;
      full = true;
      await new Promise<void>((resolve) => (drained = resolve));
      full = false;
    },
    fail,
    end: () => {
      if (!open) return;
      close();
      call.end();
    },
  };
};

/** Yields the events that a read asks for, in the direction of the read. */
const selected = function* ({ source, matches, step, first, lowest, count }: ReadRequest) {
  let left = count;
  for (let index = first; left > 0 && index >= lowest; index += step) {
    const event = source[index];
    if (!event) return;
    if (!matches(event)) continue;
    yield event;
    left--;
  }
};

const read = async ({ faults }: Node, request: ReadRequest, sink: Sink): Promise<void> => {
  const { source, resolveLinks, stream, isReadable } = request;
  if (stream !== undefined && source.length === 0) await sink.send(streamNotFound(stream));
  const { ms, breaksAfter } = faults.readPace;
  let sent = 0;
  for (const event of selected(request)) {
    if (!sink.open) return;
    if (sent++ >= breaksAfter) return sink.fail(failure(status.UNAVAILABLE, 'the read breaks as planned'));
    if (ms > 0) await sleep(ms);
    await sink.send(eventMessage(event, resolveLinks, isReadable));
  }
  const loss = faults.due('read', 'after');
  if (loss) sink.fail(loss);
  else sink.end();
};

/**
 * Maximum number of live events that wait for a slow consumer. If there are more, the server drops the subscription of
 * the consumer.
 */
const maxWaiting = 32;
const tooSlow = () =>
  failure(
    status.ABORTED,
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
  );

const subscribe = async ({ faults, watch }: Node, request: ReadRequest, sink: Sink): Promise<void> => {
  const { source, matches, resolveLinks, checkpointEvery, isReadable } = request;
  await sink.send(confirmation());
  let next = request.first;
  let sinceCheckpoint = 0;
  const catchUp = async () => {
    for (let event = source[next]; sink.open && event; event = source[next]) {
      next++;
      if (matches(event)) await sink.send(eventMessage(event, resolveLinks, isReadable));
      if (++sinceCheckpoint < checkpointEvery) continue;
      sinceCheckpoint = 0;
      await sink.send(checkpoint(event.position));
    }
  };
  await catchUp();
  await sink.send(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()));
  const loss = faults.due('read', 'after');
  if (loss) return sink.fail(loss);
  const unwatch = watch(() => {
    if (sink.full && source.slice(next).filter(matches).length > maxWaiting) sink.fail(tooSlow());
  });
  while (sink.open) {
    await catchUp();
    if (sink.open) await sink.change();
  }
  unwatch();
};

const confirmation = () =>
  new streams.ReadResp().setConfirmation(
    new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID()),
  );

const checkpoint = (position: bigint) =>
  new streams.ReadResp().setCheckpoint(withPosition(new streams.ReadResp.Checkpoint(), position));

const streamNotFound = (name: string) =>
  new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(name)),
  );
