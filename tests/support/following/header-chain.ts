import type { Chain, Header, Movement } from '../../../application/ports/chain.js';
import { fail } from '../../../domain/failure.js';

/** Makes `count` linked headers from block 0 on, with hashes that begin with `name`. */
export const headersOf = (name: string, count: number): Header[] =>
  Array.from({ length: count }, (_, number) => ({
    number,
    hash: `${name}${number}`,
    parentHash: number === 0 ? '' : `${name}${number - 1}`,
    time: 1_700_000_000 + number,
  }));

/**
 * Makes the headers of a branch that shares the given headers up to height `at` and continues with `count` blocks of
 * its own.
 */
export const forkOf = (headers: readonly Header[], at: number, name: string, count: number): Header[] => [
  ...headers.slice(0, at + 1),
  ...headersOf(name, at + 1 + count)
    .slice(at + 1)
    .map((header) => (header.number === at + 1 ? { ...header, parentHash: (headers[at] as Header).hash } : header)),
];

/**
 * Creates an in-memory chain whose blocks contain only payments. Tests change `script` while the service follows the
 * chain.
 */
export const headerChain = (script: {
  headers: readonly Header[];
  finalized?: () => number;
  /** Payments, keyed by the hash of their block. */
  payments?: Readonly<Record<string, { readonly to: string; readonly value: string }>>;
  /** Balance that every address has. */
  balance?: string;
  /** Called before every call of the chain is answered. If `before` throws, the call fails with that error. */
  before?: (call: 'head' | 'headerAt' | 'headerOf' | 'block' | 'balances', asked: unknown) => Promise<void> | void;
}): Chain => {
  const { before = () => undefined } = script;
  const unused = (): never => fail('NODE_ERROR', 'not scripted');
  const tip = () => script.headers.at(-1) as Header;
  const byHash = (hash: string) => script.headers.find((header) => header.hash === hash) ?? null;
  const paymentsIn = (hash: string): Movement[] => {
    const paid = script.payments?.[hash];
    if (!paid) return [];
    const native = { standard: 'native' } as const;
    const from = `0x${'f'.repeat(40)}`;
    return [
      { transaction: `t-${hash}`, index: 'native', asset: native, from, ...paid, fee: '0', failed: false, details: {} },
    ];
  };
  return {
    genesis: async () => script.headers[0] as Header,
    head: async () => {
      await before('head', null);
      return tip();
    },
    finalized: async () => script.finalized?.() ?? Math.max(0, tip().number - 10),
    hints: async function* () {
      // Yields no hints, so that followers poll.
    },
    headerAt: async (number) => {
      await before('headerAt', number);
      return script.headers[number] ?? null;
    },
    headerOf: async (hash) => {
      await before('headerOf', hash);
      return byHash(hash);
    },
    block: async (hash) => {
      await before('block', hash);
      const header = byHash(hash);
      return header && { ...header, movements: paymentsIn(hash), touches: [] };
    },
    balances: async (holdings) => {
      await before('balances', holdings);
      return holdings.map(() => script.balance ?? '0');
    },
    contract: async () => unused(),
    tokenUri: async () => '',
    tokens: async () => unused(),
    close: async () => undefined,
  };
};
