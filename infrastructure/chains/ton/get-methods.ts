import { Address, beginCell, Cell } from '@ton/core';
import { type FaultKind, NodeFault } from '../../nodes/node-fault.js';
import { isRaw, type Raw } from '../../nodes/raw.js';
import type { Node } from './http-transport.js';
import { masterchain } from './masterchain.js';
import { decimal, integer, part } from './wire.js';

const done = [0, 1];
/**
 * Exit codes that an index reports for a contract that does not exist. A contract that fails has another exit code,
 * such as -14 (out of gas).
 */
const noContract = [-13, -256];
/** Faults that depend on the account: the index rejects the account or does not have it. */
const ofAccount: readonly FaultKind[] = ['refused', 'missing'];
/** Faults that may depend on the contract, for example because the index cannot encode what its method returns. */
const ofContract: readonly FaultKind[] = ['failing', 'wrong'];

/**
 * Logical time of the state on which a get method ran, and the masterchain block of that state. Each is undefined if
 * the index does not report it.
 */
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

/**
 * Returns `absent` for a fault that depends on the account. Throws a `missing` fault instead of one that the contract
 * may have caused: otherwise a contract could make a node count as unhealthy.
 */
const absentOrRethrow = (error: unknown): 'absent' => {
  if (!(error instanceof NodeFault)) throw error;
  if (ofAccount.includes(error.kind)) return 'absent';
  throw ofContract.includes(error.kind) ? new NodeFault('missing', `ran no get method: ${error.message}`) : error;
};

const ask = async (node: Node, body: object): Promise<Answer> => {
  const answer = await node.post('runGetMethod', body).catch(absentOrRethrow);
  if (answer === 'absent') return answer;
  const { exit_code, stack } = answer;
  if (!done.includes(Number(exit_code))) return noContract.includes(Number(exit_code)) ? 'absent' : 'silent';
  const values = (Array.isArray(stack) ? stack : []).map((one) =>
    isRaw(one) && typeof one.value === 'string' ? one.value : '',
  );
  return { values, time: timeOf(answer) };
};
/** Reads a result; `silent` if it does not have the expected form, as if the contract lacked the method. */
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

/**
 * Queries a jetton wallet for its balance, owner and jetton master. Returns `silent` if the contract does not answer
 * like a jetton wallet, and `absent` if there is no contract.
 */
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
