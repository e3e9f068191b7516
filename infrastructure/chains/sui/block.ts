import type { Block, Interest, Movement, Touch } from '../../../application/ports/chain.js';
import { wrong } from '../nodes/node-fault.js';
import { createPace } from '../nodes/pace.js';
import { readTransaction } from './movements.js';
import type { Node } from './nodes.js';
import { type Checkpoint, headerOf } from './wire.js';

/**
 * A node that keeps no balance changes answers as if nothing had changed. Whoever paid for a transaction has one, so none
 * at all is not believed of a node that has never shown any.
 */
const checkChanges = ({ transactions }: Checkpoint, can: Node['can']) => {
  if (transactions.some(({ balanceChanges }) => balanceChanges.length > 0)) can.balanceChanges = true;
  const isPaid = transactions.some(({ effects }) => (effects?.gasUsed?.computationCost ?? 0n) > 0n);
  if (isPaid && !can.balanceChanges) wrong('a checkpoint without balance changes');
};

export const blockOf = async (checkpoint: Checkpoint, interest: Interest, can: Node['can']): Promise<Block> => {
  checkChanges(checkpoint, can);
  const pace = createPace();
  const movements: Movement[] = [];
  const touches = new Map<string, Touch>();
  for (const transaction of checkpoint.transactions) {
    const read = readTransaction(transaction, interest);
    movements.push(...read.movements);
    for (const touch of read.touches) touches.set(touch.address, touch);
    if (pace.isDue()) await pace.breathe();
  }
  return { ...headerOf(checkpoint), movements, touches: [...touches.values()] };
};
