import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BrokenPath, DeepReorganization, findPath } from '../../../application/following/reorg-path.js';
import type { Chain, Header } from '../../../application/ports/chain.js';

const root: Header = { number: 5, hash: 'h0', parentHash: 'none', time: 0 };
const child = (parent: Header, hash: string): Header => ({
  number: parent.number + 1,
  hash,
  parentHash: parent.hash,
  time: parent.time + 1,
});
const line = (from: Header, length: number, name: string) => {
  const headers: Header[] = [];
  for (let i = 0; i < length; i++) headers.push(child(headers.at(-1) ?? from, `${name}${i}`));
  return headers;
};

/** Chain that finds headers by number on the branch that ends with `byNumber`, and by hash among all headers. */
const chainOf = (headers: readonly Header[], head: Header, byNumber = head) => {
  const known = new Map(headers.map((header) => [header.hash, header]));
  const branch = new Map(upTo(known, byNumber).map((header) => [header.number, header]));
  const asked = { numbers: 0, hashes: 0 };
  const answers: Pick<Chain, 'headerAt' | 'headerOf'> = {
    headerAt: async (number) => {
      asked.numbers++;
      return branch.get(number) ?? null;
    },
    headerOf: async (hash) => {
      asked.hashes++;
      return known.get(hash) ?? null;
    },
  };
  return { chain: answers as Chain, asked };
};
/** Returns the known ancestors of a header and the header itself, oldest first. */
const upTo = (known: ReadonlyMap<string, Header>, head: Header) => {
  const path = [head];
  for (let next = known.get(head.parentHash); next; next = known.get(next.parentHash)) path.unshift(next);
  return path;
};

const pathOrFailure = async (chain: Chain, known: readonly Header[], head: Header) => {
  try {
    return await findPath(chain, known, head);
  } catch (error) {
    if (error instanceof DeepReorganization) return 'deep';
    if (error instanceof BrokenPath) return 'broken';
    throw error;
  }
};

/** Trees in which each header follows one of the last four headers, so that forks of many headers are common. */
const trees = fc.array(fc.nat(3), { minLength: 1, maxLength: 40, size: 'max' }).map((backs) => {
  const tree = [root];
  for (const back of backs) tree.push(child(tree[Math.max(0, tree.length - 1 - back)] ?? root, `h${tree.length}`));
  return tree;
});
const situations = fc
  .record({ tree: trees, tip: fc.nat(), length: fc.nat(8), head: fc.nat(), elsewhere: fc.nat(), lost: fc.nat() })
  .map(({ tree, tip, length, head, elsewhere, lost }) => {
    const at = (n: number) => tree[n % tree.length] as Header;
    const whole = new Map(tree.map((header) => [header.hash, header]));
    const known = upTo(whole, at(tip)).slice(-1 - length);
    const path = upTo(whole, at(head));
    return { tree, known, head: at(head), path, elsewhere: at(elsewhere), lost: at(lost) };
  });
type Situation = typeof situations extends fc.Arbitrary<infer S> ? S : never;

const isIn = (headers: readonly Header[], { hash }: Header) => headers.some((one) => one.hash === hash);
/** Returns whether the head is below all known headers, as from a lagging node. */
const isBelow = ({ known, head }: Situation) => head.number < (known[0] as Header).number;
const outcomeFor = (situation: Situation) => {
  const { known, head, path } = situation;
  if (isBelow(situation) || isIn(known, head)) return { drop: [], add: [] };
  const fork = known.findLast((header) => isIn(path, header));
  if (!fork) return 'deep';
  return {
    drop: known.filter(({ number }) => number > fork.number).toReversed(),
    add: path.filter(({ number }) => number > fork.number),
  };
};

describe('the path to a head', () => {
  it('is tested with reorganizations of every depth', () => {
    const outcomes = fc.sample(situations, { numRuns: 500, seed: 1 }).map(outcomeFor);
    const depths = new Set(outcomes.map((one) => (one === 'deep' ? one : one.drop.length)));
    for (const depth of ['deep', 0, 1, 2, 3, 4]) assert.ok(depths.has(depth as number), `${depth}`);
    const below = fc.sample(situations, { numRuns: 500, seed: 1 }).filter(isBelow);
    const isOld = ({ tree, known, head }: Situation) =>
      isIn(upTo(new Map(tree.map((one) => [one.hash, one])), known[0] as Header), head);
    assert.deepEqual(new Set(below.map(isOld)), new Set([true, false]));
  });

  it('leads to the head from any known headers, and is rejected if a final block was replaced', () =>
    fc.assert(
      fc.asyncProperty(situations, async (situation) => {
        const { tree, known, head } = situation;
        const before = structuredClone(known);
        const found = await pathOrFailure(chainOf(tree, head).chain, known, head);
        assert.deepEqual(found, outcomeFor(situation));
        assert.deepEqual(known, before);
      }),
      { numRuns: 1000 },
    ));

  it('links the kept headers to the head', () =>
    fc.assert(
      fc.asyncProperty(situations, async (situation) => {
        const { tree, known, head } = situation;
        const found = await pathOrFailure(chainOf(tree, head).chain, known, head);
        if (typeof found === 'string' || isIn(known, head) || isBelow(situation)) return;
        assert.deepEqual(found.drop, known.slice(known.length - found.drop.length).toReversed());
        const after = [...known.slice(0, known.length - found.drop.length), ...found.add];
        assert.deepEqual(after.at(-1), head);
        assert.ok(
          after.every(
            ({ parentHash, number }, i) =>
              i === 0 || (parentHash === after[i - 1]?.hash && number === (after[i - 1]?.number ?? 0) + 1),
          ),
        );
      }),
      { numRuns: 500 },
    ));

  it('is the same when requests by number return blocks of another branch', () =>
    fc.assert(
      fc.asyncProperty(situations, async (situation) => {
        const { tree, known, head, elsewhere } = situation;
        const found = await pathOrFailure(chainOf(tree, head, elsewhere).chain, known, head);
        assert.deepEqual(found, outcomeFor(situation));
      }),
      { numRuns: 500 },
    ));

  it('is incomplete if and only if no node has a header on the way', () =>
    fc.assert(
      fc.asyncProperty(situations, async (situation) => {
        const { tree, known, head, path, lost } = situation;
        const outcome = outcomeFor(situation);
        const first = known[0] as Header;
        // A deep reorganization is certain only after every header down to the oldest known height was read.
        const needed = outcome === 'deep' ? path.filter(({ number }) => number >= first.number) : outcome.add;
        const isNeeded = lost.hash !== head.hash && isIn(needed, lost);
        const left = tree.filter(({ hash }) => hash !== lost.hash);
        assert.deepEqual(await pathOrFailure(chainOf(left, head).chain, known, head), isNeeded ? 'broken' : outcome);
      }),
      { numRuns: 1000 },
    ));

  it('is empty, without a request, when the head is below all known headers', async () => {
    const all = [root, ...line(root, 9, 'a')];
    const fork = line(root, 3, 'b');
    const known = all.slice(5);
    for (const head of [...all.slice(0, 5), ...fork]) {
      const { chain, asked } = chainOf([...all, ...fork], head);
      assert.deepEqual(await findPath(chain, known, head), { drop: [], add: [] }, head.hash);
      assert.deepEqual(asked, { numbers: 0, hashes: 0 });
    }
  });

  it('is empty when the head is a known header', async () => {
    const known = [root, ...line(root, 4, 'a')];
    for (const head of known)
      assert.deepEqual(await findPath(chainOf(known, head).chain, known, head), { drop: [], add: [] }, head.hash);
  });

  it("is rejected when the head's branch forks below the oldest known header, once the head reaches that height", async () => {
    const all = [root, ...line(root, 6, 'a')];
    const known = all.slice(3);
    const first = known[0] as Header;
    const fork = line(all[1] as Header, 7, 'b');
    for (const head of fork) {
      const found = await pathOrFailure(chainOf([...all, ...fork], head).chain, known, head);
      assert.deepEqual(found, head.number < first.number ? { drop: [], add: [] } : 'deep', head.hash);
    }
    const fromFirst = line(first, 2, 'c');
    const head = fromFirst[1] as Header;
    const { chain } = chainOf([...all, ...fromFirst], head);
    assert.deepEqual(await findPath(chain, known, head), { drop: known.slice(1).toReversed(), add: fromFirst });
  });

  it('needs no request by hash if the chain only grew', async () => {
    const all = [root, ...line(root, 50, 'a')];
    const { chain, asked } = chainOf(all, all[50] as Header);
    await findPath(chain, all.slice(0, 3), all[50] as Header);
    assert.deepEqual(asked, { numbers: 47, hashes: 0 });
  });
});

describe('the path to a distant head', () => {
  const follow = async (chain: Chain, from: readonly Header[], head: Header) => {
    let known = [...from];
    const steps: { drop: number; add: number }[] = [];
    while (known.at(-1)?.hash !== head.hash) {
      const { drop, add } = await findPath(chain, known, head);
      steps.push({ drop: drop.length, add: add.length });
      known = [...known.slice(0, known.length - drop.length), ...add];
      assert.ok(steps.length < 10);
    }
    return { known, steps };
  };

  for (const [gap, steps] of [
    [255, [255]],
    [256, [256]],
    [257, [256, 1]],
    [512, [256, 256]],
    [700, [256, 256, 188]],
  ] as const)
    it(`takes ${steps.length} steps over a gap of ${gap} blocks`, async () => {
      const all = [root, ...line(root, gap, 'a')];
      const head = all.at(-1) as Header;
      const gone = await follow(chainOf(all, head).chain, [root], head);
      assert.deepEqual(gone.known, all);
      assert.deepEqual(
        gone.steps,
        steps.map((add) => ({ drop: 0, add })),
      );
    });

  it('drops the replaced headers in its first step', async () => {
    const old = line(root, 6, 'old');
    const fork = old[1] as Header;
    const all = [root, ...old.slice(0, 2), ...line(fork, 600, 'new')];
    const head = all.at(-1) as Header;
    const gone = await follow(chainOf([...all, ...old], head).chain, [root, ...old], head);
    assert.deepEqual(gone.known, all);
    assert.deepEqual(gone.steps, [
      { drop: 4, add: 260 },
      { drop: 0, add: 256 },
      { drop: 0, add: 84 },
    ]);
  });

  it('is rejected if a final block was replaced', async () => {
    const old = line(root, 2, 'old');
    const all = [root, ...line(root, 600, 'new')];
    const { chain } = chainOf([...all, ...old], all.at(-1) as Header);
    await assert.rejects(findPath(chain, old, all.at(-1) as Header), DeepReorganization);
  });

  it('is incomplete when no node has a header of its first step', async () => {
    const all = [root, ...line(root, 600, 'a')];
    const head = all.at(-1) as Header;
    for (const lost of ['a255', 'a200', 'a0']) {
      const left = all.filter(({ hash }) => hash !== lost);
      await assert.rejects(findPath(chainOf(left, head).chain, [root], head), BrokenPath, lost);
    }
  });
});
