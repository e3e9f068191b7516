import { Address, beginCell, Cell } from '@ton/core';
import { NodeFault } from '../../nodes/node-fault.js';
import { isRaw, list, type Raw } from '../../nodes/raw.js';
import type { Node } from './http-transport.js';
import { masterchain } from './masterchain.js';
import { decimal, integer, part } from './wire.js';

const done = [0, 1];
/** Exit codes of an index for a contract that does not exist, as opposed to a contract that fails. */
const noContract = [-13, -14, -256];

/** Time of the state on which a get method ran; undefined if the index does not report it. */
export type StateTime = { readonly lt: string | undefined; readonly seqno: number | undefined };
/** Result of a get method; `silent` if the contract has no such method, `absent` if there is no contract. */
type Answer = { readonly values: readonly string[]; readonly time: StateTime } | 'silent' | 'absent';

const inSlice = (address: string) =>
  beginCell().storeAddress(Address.parseRaw(address)).endCell().toBoc().toString('base64');
const addressIn = (value: string | undefined) =>
  Cell.fromBase64(value ?? '')
    .beginParse()
    .loadAddress()
    .toRawString();

const timeOf = ({ last_transaction_id, block_id }: Raw): StateTime => {
  const { lt } = part(last_transaction_id);
  const { workchain, seqno } = part(block_id);
  return {
    lt: lt === undefined ? undefined : decimal(lt, 'the time of the last transaction'),
    seqno: workchain === masterchain ? integer(seqno, 'the number of a block') : undefined,
  };
};

const ask = async (node: Node, body: object): Promise<Answer> => {
  try {
    const answer = await node.post('runGetMethod', body);
    const { exit_code, stack } = answer;
    if (!done.includes(Number(exit_code))) return noContract.includes(Number(exit_code)) ? 'absent' : 'silent';
    const values = list(stack, 'the stack').map((one) =>
      isRaw(one) && typeof one.value === 'string' ? one.value : '',
    );
    return { values, time: timeOf(answer) };
  } catch (error) {
    if (error instanceof NodeFault && !['refused', 'missing'].includes(error.kind)) throw error;
    return 'absent';
  }
};
/** Reads a result. A contract whose result has another form counts as one without the method. */
const readAs = <T>(values: readonly string[], read: (values: readonly string[]) => T): T | 'silent' => {
  try {
    return read(values);
  } catch {
    return 'silent';
  }
};

/** Queries a jetton master for an owner's wallet; null if the contract does not answer like a jetton master. */
export const askWalletAddress = async (node: Node, master: string, owner: string): Promise<string | null> => {
  const stack = [{ type: 'slice', value: inSlice(owner) }];
  const answer = await ask(node, { address: master, method: 'get_wallet_address', stack });
  if (typeof answer === 'string') return null;
  const found = readAs(answer.values, ([first]) => addressIn(first));
  return found === 'silent' ? null : found;
};

/** Queries a jetton master for its content cell; null if the contract does not answer like a jetton master. */
export const askContent = async (node: Node, master: string): Promise<Cell | null> => {
  const answer = await ask(node, { address: master, method: 'get_jetton_data', stack: [] });
  if (typeof answer === 'string') return null;
  const found = readAs(answer.values, ([, , , content]) => Cell.fromBase64(content ?? ''));
  return found === 'silent' ? null : found;
};

export type WalletData = {
  readonly balance: string;
  readonly owner: string;
  readonly master: string;
  readonly time: StateTime;
};

/** Queries a jetton wallet for its balance, owner and jetton master. */
export const askWalletData = async (node: Node, wallet: string): Promise<WalletData | 'silent' | 'absent'> => {
  const answer = await ask(node, { address: wallet, method: 'get_wallet_data', stack: [] });
  if (typeof answer === 'string') return answer;
  return readAs(answer.values, ([balance, owner, master]) => ({
    time: answer.time,
    balance: BigInt(balance ?? '').toString(),
    owner: addressIn(owner),
    master: addressIn(master),
  }));
};
