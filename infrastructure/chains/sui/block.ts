import type { Block, Interest, Movement, Touch } from '../../../application/ports/chain.js';
import { createPace } from '../../pace.js';
import { readTransaction } from './movements.js';
import { type Checkpoint, headerOf } from './wire.js';

export const blockOf = async (checkpoint: Checkpoint, interest: Interest): Promise<Block> => {
  const pace = createPace();
  const movements: Movement[] = [];
  const touches: Touch[] = [];
  for (const transaction of checkpoint.transactions) {
    const read = readTransaction(transaction, interest);
    movements.push(...read.movements);
    touches.push(...read.touches);
    if (pace.isDue()) await pace.breathe();
  }
  return { ...headerOf(checkpoint), movements, touches };
};
