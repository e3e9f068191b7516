import type { Block, Interest, Movement, Touch } from '../../../application/ports/chain.js';
import { wrong } from '../nodes/node-fault.js';
import { createPace } from '../nodes/pace.js';
import { readTransaction } from './movements.js';
import type { Node } from './nodes.js';
import { type Checkpoint, headerOf } from './wire.js';

/** Not all that a checkpoint holds, or something of another. */
const checkContents = ({ sequenceNumber, contents, transactions }: Checkpoint) => {
  if (transactions.some(({ checkpoint = sequenceNumber }) => checkpoint !== sequenceNumber))
    wrong('transactions of another checkpoint');
  if (!contents) return;
  const given = new Set(transactions.map(({ digest }) => digest));
  const isWhole =
    given.size === contents.transactions.length && contents.transactions.every((one) => given.has(one.transaction));
  if (!isWhole) wrong('not the transactions that the checkpoint holds');
};

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
  checkContents(checkpoint);
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
