import { type Method, methods } from '../../application/gateway/methods.js';
import { rpcCodes } from './json-rpc.js';

const errors = [
  [rpcCodes.notJson, 'The message is not JSON.'],
  [rpcCodes.invalidRequest, 'This is not a request of JSON-RPC 2.0.'],
  [rpcCodes.noMethod, 'There is no such method here.'],
  [rpcCodes.invalidParams, 'An argument is missing or wrong; the message names it.'],
  [rpcCodes.internal, 'An unexpected error.'],
  [rpcCodes.refused, 'The filter is not found, or the node refused.'],
  [rpcCodes.limitExceeded, 'A limit is exceeded.'],
  [rpcCodes.badKey, 'The API key is not valid.'],
  [rpcCodes.noNode, 'No node of the chain can be reached.'],
  [rpcCodes.nodeTimeout, 'No node of the chain answered in time.'],
] as const;

const toDocument = (method: Method) => ({
  name: method.name,
  summary: method.summary,
  paramStructure: 'by-position',
  params: method.params.map(({ name, required, kind, missing }) => ({
    name: name.replaceAll(' ', '_'),
    required,
    schema: missing === undefined ? kind.schema : { ...kind.schema, default: missing },
  })),
  result: { name: 'result', schema: method.result },
  tags: method.over === 'socket' ? [{ name: 'websocket' }] : [{ name: 'http' }, { name: 'websocket' }],
  errors: errors.map(([code, message]) => ({ code, message })),
  ...(method.nodeName !== method.name && { 'x-also-named': method.nodeName }),
});

/** Describes the gateway's methods as OpenRPC 1.3. */
export const openRpc = (version: string): object => ({
  openrpc: '1.3.2',
  info: {
    title: 'chainfold node gateway',
    version,
    description: 'JSON-RPC 2.0 to chain nodes, authenticated by the API key or the gateway token in the address.',
  },
  servers: [
    {
      name: 'http',
      url: '/{chain}/{network}/v1/{api_key}',
      variables: {
        chain: { default: 'c', enum: ['c', 'q'] },
        network: { default: 'mainnet', enum: ['mainnet', 'ropsten'] },
        api_key: { default: 'API_KEY' },
      },
    },
    {
      name: 'websocket',
      url: '/{chain}/{network}/v1/ws/{api_key}',
      variables: {
        chain: { default: 'c', enum: ['c', 'q'] },
        network: { default: 'mainnet', enum: ['mainnet', 'ropsten'] },
        api_key: { default: 'API_KEY' },
      },
    },
  ],
  methods: methods.map(toDocument),
});
