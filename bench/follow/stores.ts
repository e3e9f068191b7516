import { type NewEvent, noStream, type StreamWrite, streamName } from '../../application/ports/event-store.js';
import { createProjector } from '../../application/projecting/projector.js';
import { createProgress } from '../../application/read-models/progress.js';
import { address } from '../../domain/aggregates/address.js';
import { contract } from '../../domain/aggregates/contract.js';
import { wallet } from '../../domain/aggregates/wallet.js';
import type { Message } from '../../domain/decider.js';
import { projections } from '../../projections/index.js';
import { followedVariant, type openStores } from '../../tests/support/following/following.js';
import { testSystem } from '../../tests/support/silent.js';
import { tokenContract, watchedAddress } from './generated.js';

export type Stores = Awaited<ReturnType<typeof openStores>>;

/** Owners of the watched addresses: `wallets` per organization, `addresses` per wallet. */
export type Population = {
  readonly organizations: number;
  readonly wallets: number;
  readonly addresses: number;
  readonly confirmation: number;
};
export const holderOf = ({ wallets, addresses }: Population, index: number) => {
  const number = Math.floor(index / addresses);
  return {
    organizationId: `org_${String(Math.floor(number / wallets)).padStart(32, '0')}`,
    walletId: `wal_${String(number).padStart(32, '0')}`,
  };
};
export const sizeOf = ({ organizations, wallets, addresses }: Population) => organizations * wallets * addresses;

const appendedAtOnce = 1000;

const written = (organizationId: string, aggregate: string, key: string, event: Message): StreamWrite => {
  const metadata = {
    organizationId,
    variant: followedVariant.tag,
    actor: { kind: 'operator', id: 'bench' } as const,
    requestId: 'bench',
    causationId: 'bench',
    correlationId: 'bench',
    occurredAt: new Date().toISOString(),
  };
  const stored: NewEvent = { ...event, id: testSystem.uuid(), metadata };
  const stream = streamName(organizationId, aggregate, `${followedVariant.tag}.${key}`);
  return { stream, expected: noStream, events: [stored] };
};

const writesOf = function* (population: Population, organization: number): Iterable<StreamWrite> {
  const { wallets, addresses, confirmation } = population;
  const first = organization * wallets * addresses;
  const { organizationId } = holderOf(population, first);
  const token = { contract: tokenContract(0), standard: 'erc20', description: {} } as const;
  yield written(organizationId, contract.stream, token.contract, { type: 'ContractRegistered', data: token });
  for (let index = first; index < first + wallets * addresses; index++) {
    const { walletId } = holderOf(population, index);
    if (index % addresses === 0) {
      const data = { walletId, name: walletId, confirmation };
      yield written(organizationId, wallet.stream, walletId, { type: 'WalletRegistered', data });
    }
    const data = { address: watchedAddress(index), walletId };
    yield written(organizationId, address.stream, data.address, { type: 'AddressRegistered', data });
  }
};

/** Writes the registrations of all wallets and addresses, and projects them. */
export const populate = async ({ events, readModels }: Stores, population: Population): Promise<void> => {
  const progress = createProgress({ readModels, events, system: testSystem });
  const projector = createProjector({ events, readModels, progress, system: testSystem, projections });
  const stop = new AbortController();
  const projecting = projector.run(stop.signal);
  for (let organization = 0; organization < population.organizations; organization++) {
    let some: StreamWrite[] = [];
    for (const write of writesOf(population, organization))
      if (some.push(write) === appendedAtOnce) {
        await events.append(some);
        some = [];
      }
    if (some.length > 0) await events.append(some);
  }
  await progress.reached(await events.head(), 3_600_000);
  stop.abort();
  await projecting;
};
