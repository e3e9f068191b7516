import type { Node } from '../ports/node.js';
import { findMethod, type Method } from './methods.js';
import { anything, type Param } from './params.js';

/** Maximum number of arguments that are forwarded; no node has a method with more arguments. */
const maxArguments = 16;

const namePattern = /^[a-z][a-z0-9]{1,19}_[A-Za-z][A-Za-z0-9]{0,63}$/;

/** Methods that a setting cannot add to the gateway, with the reason; the first matching row applies. */
const forbidden: readonly { readonly names: RegExp; readonly reason: string }[] = [
  {
    names: /^(personal|admin|miner|clique|engine|parity|ethash|les|db|shh)_/,
    reason: 'is reserved for the operator of the node',
  },
  { names: /^(dev|hardhat|anvil|ganache|tenderly|testing)_/, reason: 'changes the state of a test chain' },
  {
    names: /^(eth|evm)_(accounts|coinbase|sign|fillTransaction|mining|hashrate|submit|getWork|resend)/,
    reason: 'concerns the accounts or the mining of a single node',
  },
  { names: /^[a-z0-9]+_(send|cancel)/, reason: 'changes the chain; use evm_sendRawTransaction instead' },
  { names: /subscribe|_(new|get|uninstall)[A-Za-z]*Filter/i, reason: 'needs a connection to a single node' },
  // Methods of the namespace `debug_`, except those listed below, may change options of a node, write files
  // or block the node.
  {
    names: /^debug_(?!trace|get|storageRangeAt$|accountRange$|executionWitness)/,
    reason: 'may change or overload the node; only debug_trace…, debug_get… and other read methods are allowed',
  },
];

/** Returns why a setting cannot add this method to the gateway; null if it can. */
export const configuredFault = (name: string): string | null => {
  if (!namePattern.test(name)) return 'is not a method name; expected a name such as trace_block';
  return forbidden.find(({ names }) => names.test(name))?.reason ?? null;
};

const params: readonly Param[] = Array.from({ length: maxArguments }, (_, place) => ({
  name: `argument ${place}`,
  kind: anything,
  required: false,
}));

const summary = 'Method of the nodes, added by a setting.';
/** Units charged for a call of a configured method; the actual cost for the node is unknown. */
export const configuredCost = 2;

/** Returns the definition of a method that a setting adds to a gateway address. Its answers are never cached. */
export const configuredMethod = (given: string): Method => {
  const own = given.replace(/^(eth|evm)_/, '');
  const [name, nodeName] = own === given ? [given, given] : [`evm_${own}`, `eth_${own}`];
  return { name, nodeName, summary, params, result: {}, cost: configuredCost, validity: 'never', over: 'both' };
};

/** Finds a method that a gateway address offers, by its `evm_` or its `eth_` name. */
export const offeredMethod = (name: string, node: Node | undefined): Method | undefined =>
  findMethod(name, node?.isDevelopment ?? false) ??
  (node?.extraMethods?.has(name) ? configuredMethod(name) : undefined);

/** Returns all names by which the configured methods can be called. */
export const configuredNames = (given: readonly string[]): ReadonlySet<string> =>
  new Set(given.map(configuredMethod).flatMap(({ name, nodeName }) => [name, nodeName]));
