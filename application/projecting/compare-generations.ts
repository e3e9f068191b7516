import { canonical } from '../../domain/aggregates/audit.js';
import type { AnyProjection } from '../../projections/index.js';
import type { Generations } from '../ports/generations.js';
import type { DocumentKey, Found, ReadModels } from '../ports/read-models.js';

/** Maximum number of differing documents whose keys are reported. */
const maxReported = 10;
/**
 * Maximum number of times that a differing document is compared. The difference may disappear once the built generation
 * has caught up.
 */
const comparisons = 5;

/** Number of documents, and the sum of their digests, which is independent of their order. */
type Sum = { readonly documents: number; readonly hash: string };
export type Comparison = {
  readonly name: string;
  readonly equal: boolean;
  readonly live: Sum;
  readonly built: Sum;
  readonly differing: number;
  readonly differences: readonly DocumentKey[];
};

type Side = 'live' | 'built';
type Pair = { readonly key: DocumentKey } & Readonly<Record<Side, object | null>>;
type Scan = (after?: DocumentKey) => Promise<readonly Found<object>[]>;

const scanned = async function* (scan: Scan) {
  let after: DocumentKey | undefined;
  for (;;) {
    const some = await scan(after);
    yield* some;
    after = some.at(-1);
    if (!after) return;
  }
};

const isBefore = (one: DocumentKey, other: DocumentKey) =>
  one.scope === other.scope ? one.id < other.id : one.scope < other.scope;

/** Returns the live and the built version of the document whose key comes first. */
const pairOf = (one: Found<object> | null, other: Found<object> | null): Pair | null => {
  const first = one && other && isBefore(other, one) ? other : (one ?? other);
  if (!first) return null;
  const { scope, id } = first;
  const of = (side: Found<object> | null) => (side?.scope === scope && side.id === id ? side.document : null);
  return { key: { scope, id }, live: of(one), built: of(other) };
};

/** Merges the live and the built documents, which have the same order, into pairs by key. */
const pairs = async function* (live: Scan, built: Scan): AsyncIterable<Pair> {
  const [left, right] = [scanned(live), scanned(built)];
  const next = async (side: typeof left) => (await side.next()).value ?? null;
  let [one, other] = [await next(left), await next(right)];
  for (let pair = pairOf(one, other); pair; pair = pairOf(one, other)) {
    yield pair;
    if (pair.live) one = await next(left);
    if (pair.built) other = await next(right);
  }
};

const modulus = 2n ** 256n;

/**
 * Creates sums over the live and over the built documents. Before a document is compared again, its previous versions
 * are subtracted.
 */
const createSums = (sha256: (text: string) => string) => {
  const sums = { live: { documents: 0, hash: 0n }, built: { documents: 0, hash: 0n } };
  const digest = ({ scope, id }: DocumentKey, document: object) =>
    BigInt(`0x${sha256(`${scope}\n${id}\n${canonical(document)}`)}`);
  const count = (side: Side, key: DocumentKey, document: object | null, sign: 1 | -1) => {
    if (!document) return 0n;
    const value = digest(key, document);
    const { documents, hash } = sums[side];
    sums[side] = { documents: documents + sign, hash: (hash + modulus + BigInt(sign) * value) % modulus };
    return value;
  };
  return {
    /** Adds a pair; returns whether both documents are equal. */
    add: ({ key, live, built }: Pair) => count('live', key, live, 1) === count('built', key, built, 1),
    subtract: ({ key, live, built }: Pair) => {
      count('live', key, live, -1);
      count('built', key, built, -1);
    },
    of: (side: Side): Sum => ({
      documents: sums[side].documents,
      hash: sums[side].hash.toString(16).padStart(64, '0'),
    }),
  };
};

/**
 * Compares every live document with its built version while the live generation changes; `follow` lets the built
 * generation catch up.
 */
export const compareGenerations = async (
  {
    readModels,
    generations,
    sha256,
  }: { readModels: ReadModels; generations: Generations; sha256: (text: string) => string },
  projection: AnyProjection,
  follow: () => Promise<unknown>,
): Promise<Comparison> => {
  const sums = createSums(sha256);
  const scan =
    (from: Pick<ReadModels, 'scan'>): Scan =>
    (after) =>
      from.scan(projection, after) as ReturnType<Scan>;
  let different: Pair[] = [];
  for await (const pair of pairs(scan(readModels), scan(generations.built))) if (!sums.add(pair)) different.push(pair);
  for (let done = 1; done < comparisons && different.length > 0; done++) {
    await follow();
    const keys = different.map(({ key }) => key);
    const [live, built] = await Promise.all([
      readModels.getMany(projection, keys),
      generations.built.getMany(projection, keys),
    ]);
    different = different.flatMap((pair, i) => {
      sums.subtract(pair);
      const again = { key: pair.key, live: live[i] ?? null, built: built[i] ?? null } as Pair;
      return sums.add(again) ? [] : [again];
    });
  }
  return {
    name: projection.name,
    equal: different.length === 0,
    live: sums.of('live'),
    built: sums.of('built'),
    differing: different.length,
    differences: different.slice(0, maxReported).map(({ key }) => key),
  };
};
