import type { Filter } from '@eventstore/db-client';

/** Words of the wire that both clients use alike, written out so that naming one loads neither client. */
export const START = 'start';
export const END = 'end';
export const FORWARDS = 'forwards';
export const BACKWARDS = 'backwards';
export const NO_STREAM = 'no_stream';

type Searching = Partial<Omit<Filter, 'filterOn'>>;

/** Filter of a subscription to streams whose names begin with the prefix, or without one to all but the server's own. */
export const streamsOf = (prefix: string, searching: Searching = {}): Filter => ({
  checkpointInterval: 1,
  ...searching,
  ...(prefix === ''
    ? { filterOn: 'eventType' as const, regex: '^[^$].*' }
    : { filterOn: 'streamName' as const, prefixes: [prefix] }),
});

/** Returns the state of a stream that an append expects, in the words of the clients. */
export const stateOf = (expected: number): bigint | typeof NO_STREAM => (expected < 0 ? NO_STREAM : BigInt(expected));

/** Metadata field that holds the whole metadata of a record as JSON. */
export const wrappedMetadata = 'chainfold.metadata';
