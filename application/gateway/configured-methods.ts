import type { Method } from './methods.js';
import { anything, type Param } from './params.js';

/** Number of arguments that are handed on; no node has a method with more. */
const maxArguments = 16;

const namePattern = /^[a-z][a-z0-9]{1,19}_[A-Za-z][A-Za-z0-9]{0,63}$/;

/** Methods that no setting can offer, with the reason; rows are tried in order. */
const forbidden: readonly { readonly names: RegExp; readonly reason: string }[] = [
  {
    names: /^(personal|admin|miner|clique|engine|parity|ethash|les|db|shh)_/,
    reason: 'belongs to the operator of a node',
  },
  { names: /^(dev|hardhat|anvil|ganache|tenderly|testing)_/, reason: 'changes a chain for tests' },
  {
    names: /^(eth|evm)_(accounts|coinbase|sign|fillTransaction|mining|hashrate|submit|getWork|resend)/,
    reason: 'is about the accounts or the mining of one node',
  },
  { names: /^[a-z0-9]+_(send|cancel)/, reason: 'changes the chain, for which there is only evm_sendRawTransaction' },
  { names: /subscribe|_(new|get|uninstall)[A-Za-z]*Filter/i, reason: 'needs a connection to one node' },
  // A method of this namespace may set options of a node, write to its files or take all of its time.
  {
    names: /^debug_(?!trace|get|storageRangeAt$|accountRange$|executionWitness)/,
    reason: 'may change or burden the node: of debug_ only those that trace or get something can be offered',
  },
];

/** Says why a method cannot be offered; null when it can. */
export const configuredFault = (name: string): string | null => {
  if (!namePattern.test(name)) return 'is no name of a method, such as trace_block';
  return forbidden.find(({ names }) => names.test(name))?.reason ?? null;
};

const params: readonly Param[] = Array.from({ length: maxArguments }, (_, place) => ({
  name: `argument ${place}`,
  kind: anything,
  required: false,
}));

const summary = 'A method of the nodes.';
/** Units of a call, of which nothing is known but that a node must work for it. */
const cost = 2;

/** Describes a method that a setting adds to a gateway address. Its answers are never cached. */
export const configuredMethod = (given: string): Method => {
  const own = given.replace(/^(eth|evm)_/, '');
  const [name, nodeName] = own === given ? [given, given] : [`evm_${own}`, `eth_${own}`];
  return { name, nodeName, summary, params, result: {}, cost, lasting: 'never', over: 'both' };
};

/** Lists each name by which methods that a setting adds can be called. */
export const configuredNames = (given: readonly string[]): ReadonlySet<string> =>
  new Set(given.map(configuredMethod).flatMap(({ name, nodeName }) => [name, nodeName]));
