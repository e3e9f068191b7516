import type { Holding } from '../../domain/aggregates/ledger/ledger-data.js';
import { type Asset, isNumbered } from '../../domain/asset.js';
import type { Context } from '../commands/handle.js';
import type { Chain } from '../ports/chain.js';
import type { System } from '../ports/system.js';
import type { Contracts } from './contracts.js';

type Ports = { readonly chain: Chain; readonly contracts: Contracts; readonly system: System };
type Wanted = {
  readonly standard: Asset['standard'];
  readonly addresses: readonly string[];
  readonly from: number;
  readonly to: number;
};
/** Tokens that the addresses received in the blocks from `from` up to and including `searched`. */
type Received = { readonly tokens: readonly Holding[]; readonly searched: number };

/** Time in ms after which one call searches no further blocks. */
const turnMs = 1000;
const maxTokens = 1000;

/**
 * Returns a function that searches blocks for tokens of registered contracts that addresses received. One call may end
 * before it has searched all blocks: `searched` is the last block that it searched.
 */
export const createReceivedTokens =
  ({ chain, contracts, system }: Ports) =>
  async (context: Context, { standard, addresses, from, to }: Wanted): Promise<Received> => {
    const followed = (await contracts.list(context)).filter((one) => one.standard === standard);
    const nothing = followed.length === 0 || addresses.length === 0 || from > to;
    if (!chain.tokensReceived || !isNumbered(standard) || nothing) return { tokens: [], searched: to };
    const query = { standard, addresses, contracts: followed.map(({ contract }) => contract), to };
    const until = system.now() + turnMs;
    const tokens: Holding[] = [];
    let searched = from - 1;
    do {
      const found = await chain.tokensReceived({ ...query, from: searched + 1 });
      for (const token of found.tokens) tokens.push(token);
      searched = found.to;
    } while (searched < to && tokens.length < maxTokens && system.now() < until);
    return { tokens, searched };
  };
