import { Address, beginCell, Cell } from '@ton/core';
import { NodeFault } from '../nodes/node-fault.js';
import { isRaw, list } from '../nodes/raw.js';
import type { Node } from './http-transport.js';

const done = [0, 1];

const inSlice = (address: string) =>
  beginCell().storeAddress(Address.parseRaw(address)).endCell().toBoc().toString('base64');

/** The first of what a contract answers, read; null when it does not answer, or not as it should. */
const ask = async <T>(node: Node, body: object, read: (value: string) => T): Promise<T | null> => {
  try {
    const answer = await node.post('runGetMethod', body);
    const [first] = done.includes(Number(answer.exit_code)) ? list(answer.stack, 'the stack') : [];
    return isRaw(first) && typeof first.value === 'string' ? read(first.value) : null;
  } catch (error) {
    if (error instanceof NodeFault && !['refused', 'missing'].includes(error.kind)) throw error;
    return null;
  }
};

/** The jetton wallet that a master names for an owner; null when it does not answer as a jetton master does. */
export const askWalletAddress = (node: Node, master: string, owner: string): Promise<string | null> => {
  const stack = [{ type: 'slice', value: inSlice(owner) }];
  return ask(node, { address: master, method: 'get_wallet_address', stack }, (value) =>
    Cell.fromBase64(value).beginParse().loadAddress().toRawString(),
  );
};

/** What a jetton wallet says that it holds. */
export const askJettonBalance = (node: Node, wallet: string): Promise<string | null> =>
  ask(node, { address: wallet, method: 'get_wallet_data', stack: [] }, (value) => BigInt(value).toString());
