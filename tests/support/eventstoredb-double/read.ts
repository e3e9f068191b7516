import { randomUUID } from 'node:crypto';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { type handleServerStreamingCall, type ServerWritableStream, status } from '@grpc/grpc-js';
import { type Failure, failure, type Node } from './faults.js';
import { eventMessage, streamIdentifier, withPosition } from './messages.js';
import { type ReadRequest, readRequest } from './read-request.js';

/** Streams and $all, both directions, and both kinds of subscription. */
export const readHandler =
  (node: Node): handleServerStreamingCall<ReadReq, ReadResp> =>
  (call) => {
    const sink = createSink(node, call);
    if (node.faults.muted) return void node.faults.unanswered++;
    const refusal = node.faults.due('read', 'before');
    if (refusal) return sink.fail(refusal);
    const request = readRequest(node.log, call.request);
    const serving = request.subscription ? subscribe(node, request, sink) : read(node, request, sink);
    serving.catch((error: unknown) => sink.fail(failure(status.INTERNAL, String(error))));
  };

/** One answering call: waits for a slow or muted way out, and stops when the call is over. */
type Sink = {
  readonly open: boolean;
  send(message: ReadResp): Promise<void>;
  /** Until something was written, or the call ended. */
  change(): Promise<void>;
  fail(problem: Failure): void;
  end(): void;
};

const createSink = ({ calls, faults, watch }: Node, call: ServerWritableStream<ReadReq, ReadResp>): Sink => {
  let open = true;
  let changed = () => {};
  let drained = () => {};
  const close = () => {
    open = false;
    forget();
    unwatch();
    changed();
    drained();
  };
  // Emitted, never destroyed: with destroy grpc-js sends no status and the client waits for ever.
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
    change,
    send: async (message) => {
      while (open && faults.muted) await change();
      if (open && !call.write(message)) await new Promise<void>((resolve) => (drained = resolve));
    },
    fail,
    end: () => {
      if (!open) return;
      close();
      call.end();
    },
  };
};

const read = async ({ faults }: Node, request: ReadRequest, sink: Sink): Promise<void> => {
  const { source, matches, step, resolveLinks, stream } = request;
  if (stream !== undefined && source.length === 0) await sink.send(streamNotFound(stream));
  let left = request.count;
  for (let index = request.first; sink.open && left > 0; index += step) {
    const event = source[index];
    if (!event) break;
    if (!matches(event)) continue;
    await sink.send(eventMessage(event, resolveLinks));
    left--;
  }
  const loss = faults.due('read', 'after');
  if (loss) sink.fail(loss);
  else sink.end();
};

const subscribe = async ({ faults }: Node, request: ReadRequest, sink: Sink): Promise<void> => {
  const { source, matches, resolveLinks, checkpointEvery } = request;
  await sink.send(confirmation());
  let next = request.first;
  let sinceCheckpoint = 0;
  const catchUp = async () => {
    for (let event = source[next]; sink.open && event; event = source[next]) {
      next++;
      if (matches(event)) await sink.send(eventMessage(event, resolveLinks));
      if (++sinceCheckpoint < checkpointEvery) continue;
      sinceCheckpoint = 0;
      await sink.send(checkpoint(event.position));
    }
  };
  await catchUp();
  await sink.send(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()));
  const loss = faults.due('read', 'after');
  if (loss) return sink.fail(loss);
  while (sink.open) {
    await catchUp();
    if (sink.open) await sink.change();
  }
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
