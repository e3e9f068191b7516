import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Line } from '../../../application/statements/lines.js';
import type { StatementMovement } from '../../../application/statements/movements.js';
import type { Asset } from '../../../domain/asset.js';
import {
  type EvmChain,
  gasOf,
  gasPrice,
  type MinedBlock,
  type MinedTransaction,
} from '../../support/chains/evm-chain.js';
import { openStores } from '../../support/following/following.js';
import { randomBlocks, randomSteps } from '../../support/following/random-steps.js';
import { createScene, people } from '../../support/following/scripted-following.js';
import { sized } from '../../support/run/tier.js';
import { testSystem } from '../../support/silent.js';

type Scene = Awaited<ReturnType<typeof createScene>>;
type Wallet = Scene['wallets'][number];

/** Clock that is behind the first block, so that every address is registered before anything happens to the address. */
const earlySystem = { ...testSystem, now: () => testSystem.now() - 10 ** 12 };
const blocks = randomBlocks('coin', 'coin', 'failed', 'token', 'foreign token', 'internal');
const crash = {
  kind: fc.constant('crash' as const),
  writes: fc.nat(6),
  depth: fc.integer({ min: 0, max: 12 }),
  away: fc.constant(0),
};
const imported = fc.record({ kind: fc.constant('import' as const), address: fc.constantFrom(...people) });
const weights = { mine: 6, reorganize: 3, return: 1 };
const others = [
  { weight: 2, arbitrary: fc.record(crash) },
  { weight: 2, arbitrary: imported },
];
const steps = randomSteps(blocks, weights, others, 12);

const everything = { address: undefined, standard: undefined, contract: undefined, token: undefined };

/** Computes how much a transaction changes a balance, from the scripted chain alone. */
const changesBy = (mined: MinedTransaction, address: string, asset: Asset) => {
  const { from, to, value = 0n, failed = false, tokens: moved = [], internal = [] } = mined;
  const pieces = asset.standard === 'native' ? [{ from, to: to ?? '', value }, ...internal] : moved;
  const counted = failed ? [] : pieces.map((one) => ({ value: 1n, ...one }));
  const sum = (side: 'from' | 'to') =>
    counted.filter((one) => one[side] === address).reduce((total, one) => total + one.value, 0n);
  const fees = asset.standard === 'native' && from === address ? gasOf(mined) * gasPrice : 0n;
  return { incoming: sum('to'), outgoing: sum('from'), fees };
};
const blockAt = (chain: EvmChain, number: number) => chain.at(number) ?? assert.fail(`There is no block ${number}`);
/** Adds up the changes of a balance in the blocks after `start`, up to and including `end`. */
const changesIn = (chain: EvmChain, start: number, end: number, address: string, asset: Asset) => {
  const total = { incoming: 0n, outgoing: 0n, fees: 0n };
  for (let number = start + 1; number <= end; number++)
    for (const one of blockAt(chain, number).transactions) {
      const { incoming, outgoing, fees } = changesBy(one, address, asset);
      total.incoming += incoming;
      total.outgoing += outgoing;
      total.fees += fees;
    }
  return total;
};
const statementOf = async ({ app }: Scene, { by, walletId }: Wallet, start: MinedBlock, end: MinedBlock) => {
  const request = { ...everything, walletId, startTime: start.time, endTime: end.time + 3 };
  const movements: StatementMovement[] = [];
  let lines: readonly Line[] = [];
  for (let token: string | undefined = ''; token !== undefined; ) {
    const page = await app().statements.page(by, request, { size: 3, token: token || undefined });
    assert.deepEqual([page.period.start.number, page.period.end.number], [start.number, end.number]);
    if (token === '') lines = page.lines as readonly Line[];
    movements.push(...page.movements);
    token = page.nextPageToken || undefined;
  }
  return { lines, movements };
};

const checkLine = (chain: EvmChain, line: Line, confirmation: number, start: MinedBlock, end: MinedBlock) => {
  const { address, asset, opening, incoming, outgoing, fees, closing, unexplained, reasons, inTransit } = line;
  assert.equal(opening, chain.balance(address, asset, start));
  assert.equal(closing, chain.balance(address, asset, end));
  assert.deepEqual({ incoming, outgoing, fees }, changesIn(chain, start.number, end.number, address, asset));
  assert.deepEqual([unexplained, reasons], [0n, []]);
  const transit = changesIn(chain, Math.max(0, end.number - confirmation + 1), end.number, address, asset);
  assert.equal(inTransit, transit.incoming - transit.outgoing - transit.fees);
};

const sumOf = (movements: readonly StatementMovement[], { address, asset }: Line) => {
  const own = movements.filter((one) => one.address === address);
  const moved = own.filter(({ document }) => document.transfer.asset.standard === asset.standard);
  const paid = asset.standard === 'native' ? own.reduce((sum, { fee }) => sum + fee, 0n) : 0n;
  return moved.reduce((sum, { change }) => sum + change, 0n) - paid;
};

/** Checks consecutive statements of a wallet; returns the number of checked lines. */
const checkWallet = async (scene: Scene, wallet: Wallet, ends: readonly MinedBlock[]) => {
  const closings = new Map<string, bigint>();
  let checked = 0;
  for (const [i, end] of ends.slice(1).entries()) {
    const start = ends[i] as MinedBlock;
    const { lines, movements } = await statementOf(scene, wallet, start, end);
    for (const line of lines) {
      checkLine(scene.chain, line, wallet.confirmation, start, end);
      const key = `${line.address} ${line.asset.standard}`;
      assert.equal(line.opening, closings.get(key) ?? line.opening, 'the opening is the closing of the last period');
      closings.set(key, line.closing);
      assert.equal(sumOf(movements, line), line.incoming - line.outgoing - line.fees);
      checked++;
    }
  }
  return checked;
};

describe('statements of random histories', function () {
  this.timeout(120_000);
  let stores: Awaited<ReturnType<typeof openStores>>;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores.close());

  it('explain every balance by movements and fees, meet at their ends and equal the chain, through reorganizations, crashes and imports', async () => {
    let [played, checked] = [0, 0];
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(steps, cuts, async (script, shares) => {
        const scene = await createScene(stores, `statement${played++}`, [], earlySystem);
        try {
          await scene.play(script);
          await scene.settle();
          const head = scene.chain.head().number;
          const numbers = new Set([0, ...shares.map((share) => Math.round(share * head)), head]);
          const ends = [...numbers].toSorted((a, b) => a - b).map((number) => blockAt(scene.chain, number));
          for (const wallet of scene.wallets) checked += await checkWallet(scene, wallet, ends);
        } finally {
          await scene.close();
        }
      }),
      { numRuns: sized(2, 6), endOnFailure: true },
    );
    assert.ok(checked > 0);
  });
});
