import { type ContractReport, contract } from '../../domain/aggregates/contract.js';
import type { Balance, Holding, UnreadBalance } from '../../domain/aggregates/ledger/ledger-data.js';
import { assetKey } from '../../domain/asset.js';
import type { Variant } from '../../domain/variant.js';
import { checkNodes } from '../assets/balance-ledger.js';
import { contractKey } from '../assets/contracts.js';
import { type Context, type Handle, step } from '../commands/handle.js';
import type { Chain, Header } from '../ports/chain.js';
import type { FailingContracts } from './failing-contracts.js';

/** Balances that were read, and `aside`: the balances that could not be read because of their contract. */
export type Found = { readonly balances: readonly Balance[]; readonly aside: readonly UnreadBalance[] };

const noAnswer = 'the contract gives no answer when it is asked for a balance';
const notAsked = 'the contract is not asked for balances for a while, because an earlier attempt failed';

const contractOf = ({ asset }: Holding) => ('contract' in asset ? asset.contract : '');
const withKey = (holding: Holding) => ({ holding, key: assetKey(holding.asset) });
/** Sorts holdings by asset, so that bisection quickly isolates a failing contract. */
const sorted = (holdings: readonly Holding[]) =>
  holdings
    .map(withKey)
    .toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ holding }) => holding);
const join = (a: Found, b: Found): Found => ({
  balances: [...a.balances, ...b.balances],
  aside: [...a.aside, ...b.aside],
});

type Ports = { readonly chain: Chain; readonly handle: Handle; readonly aside: FailingContracts };

/**
 * Creates functions that record failing contracts in the state store, for retries, and in the event stream of the
 * contract.
 */
const createReports = ({ handle, aside }: Ports, variant: Variant) => {
  const contextOf = (organizationId: string, address: string): Context => ({
    organizationId,
    variant,
    actor: { kind: 'process', id: 'follower' },
    requestId: `balances of ${address}`,
  });
  const stepOf = (organizationId: string, command: ContractReport) =>
    step(contract, organizationId, contractKey(variant, command.data.contract), command);
  return {
    contextOf,
    fail: async (organizationId: string, address: string, reason: string, isAvoided: boolean) => {
      await aside.fail({ organizationId, contract: address }, reason, isAvoided);
      const command = { type: 'ReportFailure', data: { contract: address, reason } } as const;
      await handle(contextOf(organizationId, address), [stepOf(organizationId, command)]);
    },
    recover: async (organizationId: string, address: string) => {
      await aside.clear({ organizationId, contract: address });
      const command = { type: 'ReportRecovery', data: { contract: address } } as const;
      await handle(contextOf(organizationId, address), [stepOf(organizationId, command)]);
    },
  };
};

/**
 * Creates functions that read balances for one organization. A batch that fails although the nodes answer is bisected
 * down to a single holding, whose contract is then recorded as failing.
 */
export const createBalanceReading = (ports: Ports, variant: Variant) => {
  const { chain, aside } = ports;
  const { fail, recover, contextOf } = createReports(ports, variant);

  const setAside = async (organizationId: string, holding: Holding, { message }: Error): Promise<Found> => {
    await fail(organizationId, contractOf(holding), message, true);
    return { balances: [], aside: [{ ...holding, reason: message }] };
  };
  const answered = async (
    organizationId: string,
    asked: readonly Holding[],
    answers: readonly (string | null)[],
  ): Promise<Found> => {
    const balances = asked.flatMap((one, i) =>
      typeof answers[i] === 'string' ? [{ ...one, balance: answers[i] }] : [],
    );
    const mute = asked.filter((_, i) => typeof answers[i] !== 'string');
    for (const address of new Set(mute.map(contractOf)))
      if (!aside.isKept({ organizationId, contract: address })) await fail(organizationId, address, noAnswer, false);
    return { balances, aside: mute.map((one) => ({ ...one, reason: noAnswer })) };
  };

  /** Reads balances, except balances of contracts in `avoided`, and adds failing contracts to `avoided`. */
  const readSome = async (
    organizationId: string,
    holdings: readonly Holding[],
    at: Header,
    avoided: Set<string>,
  ): Promise<Found> => {
    const asked = holdings.filter((one) => !avoided.has(contractOf(one)));
    const skipped = holdings.filter((one) => avoided.has(contractOf(one)));
    const left = { balances: [], aside: skipped.map((one) => ({ ...one, reason: notAsked })) };
    if (asked.length === 0) return left;
    try {
      return join(left, await answered(organizationId, asked, await chain.balances(asked, at)));
    } catch (error) {
      const [last] = asked.slice(-1) as [Holding];
      if (asked.length === 1 && last.asset.standard === 'native') throw error;
      await checkNodes(chain, last, at);
      if (asked.length === 1) {
        avoided.add(contractOf(last));
        return join(left, await setAside(organizationId, last, error as Error));
      }
      const half = asked.length >> 1;
      const first = await readSome(organizationId, asked.slice(0, half), at, avoided);
      return join(left, join(first, await readSome(organizationId, asked.slice(half), at, avoided)));
    }
  };

  return {
    contextOf,
    fail,
    recover,
    /** Reads balances, except balances of contracts that are avoided because earlier reads failed. */
    read: (organizationId: string, holdings: readonly Holding[], at: Header) => {
      const contracts = new Set(holdings.map(contractOf));
      const avoided = [...contracts].filter((address) => aside.isAvoided({ organizationId, contract: address }));
      return readSome(organizationId, sorted(holdings), at, new Set(avoided));
    },
    /** Retries a failing contract: reads one balance first, and the other balances unless that read failed. */
    readAgain: async (organizationId: string, holdings: readonly Holding[], at: Header): Promise<Found> => {
      const avoided = new Set<string>();
      const probe = await readSome(organizationId, holdings.slice(0, 1), at, avoided);
      return join(probe, await readSome(organizationId, holdings.slice(1), at, avoided));
    },
  };
};
