import type { Chain, Header, Movement } from '../../../application/ports/chain.js';
import { fail } from '../../../domain/failure.js';
import { sha256 } from '../../../infrastructure/system.js';
import type { Gate } from './gate.js';

/**
 * Payment. `transaction` is the transaction hash of a payment that was in a replaced block; absent for a new payment.
 */
export type Payment = {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  /** Contract of the token that is paid; if absent, the payment is in the chain's coin. */
  readonly token?: string;
  readonly transaction?: string;
};

/** Block of a simulated chain, with the balances after the block, keyed by token and address. */
export type SimulatedBlock = Header & {
  readonly payments: readonly (Payment & { readonly transaction: string })[];
  readonly balances: ReadonlyMap<string, bigint>;
};

/** Number of newest blocks that a reorganization may replace. */
export const finalDepth = 12;
/** Initial balance of every address in the coin and in each token, so that no payment fails. */
const endowment = 10n ** 24n;

const balanceKey = (address: string, token = '') => `${token}/${address}`;
const hashOf = (...parts: readonly unknown[]) => `0x${sha256(parts.join(' '))}`;

/**
 * Creates a chain with payments in its coin and in tokens. Its blocks form a tree, of which one branch is canonical.
 */
export const createLedgerChain = (name: string, startTime: number, tokens: readonly string[] = []) => {
  const known = new Map<string, SimulatedBlock>();
  let made = 0;
  const genesis: SimulatedBlock = {
    number: 0,
    hash: hashOf(name, 'genesis'),
    parentHash: hashOf(name, 'nothing'),
    time: startTime,
    payments: [],
    balances: new Map(),
  };
  let canonical: SimulatedBlock[] = [genesis];
  known.set(genesis.hash, genesis);
  const head = () => canonical.at(-1) as SimulatedBlock;

  const mine = (payments: readonly Payment[], time: number): SimulatedBlock => {
    const parent = head();
    const balances = new Map(parent.balances);
    const move = (key: string, by: bigint) => balances.set(key, (balances.get(key) ?? endowment) + by);
    const included = payments.map((payment) => ({
      ...payment,
      transaction: payment.transaction ?? hashOf(name, 'transaction', made++),
    }));
    for (const { from, to, value, token } of included) {
      move(balanceKey(from, token), -value);
      move(balanceKey(to, token), value);
    }
    const number = parent.number + 1;
    const hash = hashOf(name, 'block', made++);
    const block = { number, hash, parentHash: parent.hash, time, payments: included, balances };
    canonical.push(block);
    known.set(hash, block);
    return block;
  };

  return {
    name,
    /** Contracts of the tokens. */
    tokens,
    mine,
    head,
    genesis,
    at: (number: number): SimulatedBlock | null => canonical[number] ?? null,
    of: (hash: string): SimulatedBlock | null => known.get(hash) ?? null,
    canonical: (): readonly SimulatedBlock[] => canonical,
    isCanonical: ({ number, hash }: Header) => canonical[number]?.hash === hash,
    balanceOf: (address: string, token?: string, at = head()) =>
      at.balances.get(balanceKey(address, token)) ?? endowment,
    /** Removes the last blocks; returns a function that brings the removed branch back. */
    drop: (depth: number) => {
      const before = canonical;
      canonical = canonical.slice(0, Math.max(1, canonical.length - depth));
      return () => {
        canonical = before;
      };
    },
    finalized: () => Math.max(0, head().number - finalDepth),
  };
};

export type LedgerChain = ReturnType<typeof createLedgerChain>;

const native = { standard: 'native' } as const;

/** Opens the chain for one process. `lag` returns the number of blocks by which the node lags. */
export const simulatedChain = (chain: LedgerChain, gate: Gate, lag: () => number): Chain => {
  const call = <T>(what: string, effect: () => T) => gate.call(`${chain.name}.${what}`, effect);
  const headerOf = ({ number, hash, parentHash, time }: SimulatedBlock): Header => ({ number, hash, parentHash, time });
  const seen = () => chain.at(Math.max(0, chain.head().number - lag())) ?? chain.head();
  const movementOf = ({ transaction, from, to, value, token }: SimulatedBlock['payments'][number]): Movement => ({
    transaction,
    index: token === undefined ? 'native' : '0',
    asset: token === undefined ? native : { standard: 'erc20', contract: token },
    from,
    to,
    value: String(value),
    fee: '0',
    failed: false,
    details: {},
  });
  const unsupported = (): never => fail('FAILED_PRECONDITION', 'Tokens of the simulated chain are not imported.');
  return {
    genesis: () => call('genesis', () => headerOf(chain.genesis)),
    head: () => call('head', () => headerOf(seen())),
    finalized: () => call('finalized', chain.finalized),
    hints: async function* () {
      // Yields no hints, so that followers poll.
    },
    headerAt: (number) =>
      call('headerAt', () => {
        const found = chain.at(number);
        return found && headerOf(found);
      }),
    headerOf: (hash) =>
      call('headerOf', () => {
        const found = chain.of(hash);
        return found && chain.isCanonical(found) ? headerOf(found) : null;
      }),
    block: (hash, interest) =>
      call('block', () => {
        const found = chain.of(hash);
        if (!found) return null;
        const isOwn = ({ from, to, token }: Payment) =>
          (interest.address(from) || interest.address(to)) && (token === undefined || interest.contract(token));
        const movements = found.payments.filter(isOwn).map(movementOf);
        return { ...headerOf(found), movements, touches: [] };
      }),
    balances: (holdings, at) =>
      call('balances', () => {
        const block = chain.of(at.hash);
        if (!block) return fail('NODE_ERROR', 'The simulated node does not know the block.');
        return holdings.map(({ address, asset }) => {
          if (asset.standard === 'native') return String(chain.balanceOf(address, undefined, block));
          return asset.standard === 'erc20' ? String(chain.balanceOf(address, asset.contract, block)) : null;
        });
      }),
    contract: (address) =>
      call('contract', () =>
        chain.tokens.includes(address)
          ? { name: 'Token', symbol: 'TKN', decimals: 6 }
          : fail('FAILED_PRECONDITION', 'The simulated chain has no contract there.'),
      ),
    tokenUri: async () => '',
    tokens: async () => unsupported(),
    close: async () => undefined,
  };
};
