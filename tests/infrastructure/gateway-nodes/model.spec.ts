import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Model, openModel } from '../../support/gateway/model-gateways.js';
import { logAnswers, type ModelFault, modelFaults } from '../../support/gateway/model-nodes.js';
import { remainingLogs } from '../../support/gateway/witness.js';
import { sized } from '../../support/run/tier.js';
import { startVirtualClock, type VirtualClock } from '../../support/virtual-clock.js';

const runs = Number(process.env.CHAINFOLD_MODEL_RUNS ?? sized(80, 2500));

const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('mine' as const), count: fc.constantFrom(1, 1, 2, 9) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('reorganize' as const), depth: fc.integer({ min: 1, max: 5 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('suffer' as const),
      // Index of a node; the highest index stands for all nodes.
      node: fc.nat(4),
      fault: fc.constantFrom(...modelFaults),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('ask' as const), what: fc.nat(10), times: fc.constantFrom(1, 5) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(2, 10, 25, 60, 150, 400, 2100) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('switch' as const) }) },
);
type Action =
  | { readonly do: 'mine'; readonly count: number }
  | { readonly do: 'reorganize'; readonly depth: number }
  | { readonly do: 'suffer'; readonly node: number; readonly fault: ModelFault }
  | { readonly do: 'ask'; readonly what: number; readonly times: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'switch' };

const [theHead, latest, state, logsOfHead, finalBlock, , , unsettled, newestLogs, receipt, failing] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
];
const asking = (what: number, times = 1): Action => ({ do: 'ask', what, times });
const waiting = (ms: number): Action => ({ do: 'wait', ms });
const mining = (count: number): Action => ({ do: 'mine', count });
/** Sequences that once exposed defects, and that random single actions rarely produce. */
const scenes: readonly (readonly Action[])[] = [
  // Blocks are requested before they are final, replaced while the responses are in flight or later, and become final.
  [
    waiting(2100),
    asking(finalBlock),
    waiting(60),
    asking(unsettled, 5),
    waiting(60),
    { do: 'reorganize', depth: 5 },
    mining(9),
  ],
  [waiting(2100), asking(unsettled, 5), { do: 'reorganize', depth: 5 }, mining(9), asking(finalBlock), waiting(150)],
  // Clients read an announced head while the nodes learn of that head one after the other.
  [mining(1), waiting(60), asking(theHead), waiting(25), asking(logsOfHead, 2), asking(state), asking(latest, 2)],
  [mining(1), waiting(60), asking(latest), waiting(60), asking(logsOfHead, 2), waiting(2), asking(latest, 2)],
  // The node that announced a head becomes unreachable.
  [
    mining(2),
    waiting(60),
    asking(theHead),
    waiting(25),
    { do: 'suffer', node: 0, fault: 'hung' },
    asking(logsOfHead, 2),
    asking(latest, 2),
    waiting(150),
  ],
  // Clients know the newest block before the gateway does.
  [waiting(400), mining(1), waiting(25), asking(newestLogs, 5), waiting(60), asking(newestLogs, 2)],
  // A client sends calls that every node rejects, while another asks for data that one node lacks.
  [waiting(2100), asking(failing, 5), waiting(60), asking(failing, 5), waiting(60), asking(receipt, 5), waiting(150)],
  // The fastest node starts to serve another chain and answers requests for final blocks. Both gateways are asked
  // later.
  [
    waiting(2100),
    asking(finalBlock, 2),
    waiting(150),
    { do: 'switch' },
    asking(finalBlock, 5),
    asking(receipt, 5),
    waiting(2100),
    asking(finalBlock, 5),
    waiting(2100),
    asking(finalBlock, 5),
  ],
  [
    mining(1),
    waiting(60),
    { do: 'suffer', node: 0, fault: 'revoked' },
    asking(theHead),
    asking(latest, 2),
    waiting(60),
  ],
];
const step = fc.oneof(
  { weight: 6, arbitrary: action.map((one): readonly Action[] => [one]) },
  { weight: 1, arbitrary: fc.constantFrom(...scenes) },
);

describe('a gateway in front of model nodes', () => {
  let clock: VirtualClock;
  before(() => {
    clock = startVirtualClock();
  });
  after(() => clock.stop());

  const start = async () => {
    const model = openModel(clock);
    let isJoined = false;
    void Promise.all([model.subscribe(), model.other.ask('eth_chainId', [])]).then(() => {
      isJoined = true;
    });
    assert(await clock.pass(5000, () => isJoined));
    return model;
  };
  /** Heals the nodes and checks the final results of subscribers and clients. */
  const finish = async (model: Model, first: number) => {
    const { chain, witness, other, headers, logs, healAll, suffered, isSwitching } = model;
    healAll();
    if (chain.head().number < first) chain.mine();
    const { hash, number } = chain.head();
    const isDone = () => headers.at(-1)?.hash === hash && logs.at(-1)?.blockHash === hash;
    assert(await clock.pass(60_000, isDone), 'subscribers were not notified of the head');
    const canonical = chain.path().slice(first).flatMap(logAnswers);
    assert.deepEqual(
      remainingLogs(logs, witness.violations),
      canonical.map(({ blockHash, logIndex }) => `${blockHash} ${logIndex}`),
    );
    void other.ask('eth_blockNumber', []).catch(() => undefined);
    assert(await clock.pass(60_000, () => !isSwitching()), 'a gateway did not notice that a node switched its chain');
    suffered.fill('none');
    for (const ask of witness.questions) for (let nth = 0; nth < 10; nth++) void ask(nth);
    await clock.pass(2000);
    assert.deepEqual([witness.highest(), witness.violations], [number, []]);
  };
  const play = async (script: readonly Action[]) => {
    const model = await start();
    const { chain, witness, suffer, switchNode, close } = model;
    const first = chain.head().number + 1;
    const perform: { [K in Action['do']]: (given: Extract<Action, { do: K }>) => unknown } = {
      mine: ({ count }) => {
        for (let i = 0; i < count; i++) chain.mine();
      },
      // The block at which the subscription started is never replaced, because subscribers are not notified of that
      // block.
      reorganize: ({ depth }) => chain.reorganize(depth, first),
      suffer: ({ node, fault }) => suffer(node, fault),
      ask: ({ what, times }) => {
        for (let nth = 0; nth < times; nth++) void witness.questions[what]?.(nth);
      },
      wait: ({ ms }) => clock.pass(ms),
      switch: switchNode,
    };
    for (const one of script) await perform[one.do](one as never);
    await finish(model, first);
    await close();
    await clock.pass(1);
  };

  it('never returns a lower head, changed final data or too few logs, and notifies subscribers of each log once', async function () {
    this.timeout(180_000 + runs * 1000);
    const scripts = fc.array(step, { minLength: 5, maxLength: 25, size: 'max' });
    await fc.assert(
      fc.asyncProperty(scripts, (steps) => play(steps.flat())),
      { numRuns: runs },
    );
  });
});
