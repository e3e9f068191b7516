import { status } from '@grpc/grpc-js';
import type { SuiSource } from '../../infrastructure/chains/development/sui/ledger.js';
import { refusal, serveSui } from '../../infrastructure/chains/development/sui/server.js';
import { normalCoinType } from '../../infrastructure/chains/sui/coin-type.js';
import type { Checkpoint } from '../../infrastructure/chains/sui/wire.js';

/** How a node can be bad; each as long as it is set. */
const wellBehaved = {
  /** Its newest checkpoint is one of long ago. */
  lag: 0,
  /** Every so many answers it is away, too busy or broken. */
  unavailable: false,
  busy: false,
  broken: false,
  /** Some checkpoints are not there though later ones are. */
  skips: false,
  /** Gives the checkpoint before the one that was asked for. */
  repeats: false,
  /** Leaves out the last transaction. */
  truncated: false,
};
type Faults = typeof wellBehaved;

const every = 3;
const refusals = [
  ['unavailable', status.UNAVAILABLE],
  ['busy', status.RESOURCE_EXHAUSTED],
  ['broken', status.INTERNAL],
] as const;

/** A node of the ledger's chain that answers over gRPC and can be made to answer badly. */
export const startSuiNode = async (ledger: SuiSource) => {
  const faults: Faults = { ...wellBehaved };
  let asked = 0;
  let afterRead = () => {};
  const maybeRefuse = () => {
    asked++;
    for (const [fault, code] of refusals)
      if (faults[fault] && asked % every === 0) throw refusal(code, `the node is ${fault}`);
  };
  const height = () => Math.max(0, ledger.height() - faults.lag);
  const spoil = (checkpoint: Checkpoint): Checkpoint | undefined => {
    const number = Number(checkpoint.sequenceNumber);
    if (faults.skips && number < height() && number % 2 === 1) return undefined;
    if (faults.repeats && number > 0 && asked % every === 0) return ledger.checkpoint(number - 1);
    return faults.truncated ? { ...checkpoint, transactions: checkpoint.transactions.slice(0, -1) } : checkpoint;
  };
  const changeIn = (number: number, owner: string, coinType: string) =>
    (ledger.checkpoint(number)?.transactions ?? [])
      .flatMap(({ balanceChanges }) => balanceChanges)
      .filter((one) => one.address === owner && normalCoinType(one.coinType ?? '') === coinType)
      .reduce((sum, { amount = '0' }) => sum + BigInt(amount), 0n);
  const source: SuiSource = {
    ...ledger,
    height,
    checkpoint: (id) => {
      maybeRefuse();
      const found = ledger.checkpoint(id);
      return found && spoil(found);
    },
    // A node that lags has the balances of then.
    balance: (owner, coinType) => {
      maybeRefuse();
      let sum = 0n;
      for (let number = 0; number <= height(); number++) sum += changeIn(number, owner, coinType);
      afterRead();
      return sum;
    },
  };
  const { url, close } = await serveSui(source);
  return {
    url,
    close,
    faults,
    /** Does something every time when a balance was read and is not told yet. */
    whenRead: (work: () => void) => {
      afterRead = work;
    },
    heal: () => Object.assign(faults, wellBehaved),
  };
};
export type SuiNode = Awaited<ReturnType<typeof startSuiNode>>;
