import { type Context, createHandle, step } from '../../../application/commands/handle.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import { contract } from '../../../domain/aggregates/contract.js';
import { testSystem } from '../silent.js';
import { addressOf } from './running-app.js';

const firstContract = 0xc0_0000;
const contractsAtOnce = 50;

/**
 * Registers `count` ERC-20 contracts (a multiple of 50) without asking the chain about them. Returns the position of the
 * last one.
 */
export const registerContracts = async (events: EventStore, by: Context, count: number): Promise<number> => {
  const handle = createHandle(events, testSystem);
  let position = 0;
  for (let n = 0; n < count; n += contractsAtOnce) {
    const steps = Array.from({ length: contractsAtOnce }, (_, one) => {
      const address = addressOf(firstContract + n + one);
      const data = { contract: address, standard: 'erc20', description: {} } as const;
      return step(contract, by.organizationId, `${by.variant.tag}.${address}`, { type: 'Register', data });
    });
    position = await handle(by, steps);
  }
  return position;
};
