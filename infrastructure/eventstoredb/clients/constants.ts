import type { Filter } from '@eventstore/db-client';

/** Constants that both client libraries share, defined here so that using them loads neither library. */
export const START = 'start';
export const END = 'end';
export const FORWARDS = 'forwards';
export const BACKWARDS = 'backwards';
export const NO_STREAM = 'no_stream';

type Searching = Partial<Omit<Filter, 'filterOn'>>;

/**
 * Builds a subscription filter for stream names with the prefix. An empty prefix excludes only the server's own events.
 */
export const streamsOf = (prefix: string, searching: Searching = {}): Filter => ({
  checkpointInterval: 1,
  ...searching,
  ...(prefix === ''
    ? { filterOn: 'eventType' as const, regex: '^[^$].*' }
    : { filterOn: 'streamName' as const, prefixes: [prefix] }),
});

/** Converts an expected revision to the form of the client libraries. */
export const stateOf = (expected: number): bigint | typeof NO_STREAM => (expected < 0 ? NO_STREAM : BigInt(expected));

/** Metadata field that holds the whole metadata of a record as JSON. */
export const wrappedMetadata = 'chainfold.metadata';
