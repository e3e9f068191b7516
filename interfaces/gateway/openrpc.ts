import { type Method, methods } from '../../application/gateway/methods.js';
import { rpcCodes } from './json-rpc.js';

const errors = [
  [rpcCodes.notJson, 'The message is not JSON.'],
  [rpcCodes.invalidRequest, 'The message is not a JSON-RPC 2.0 request.'],
  [rpcCodes.noMethod, 'The method does not exist or is not available.'],
  [rpcCodes.invalidParams, 'An argument is missing or invalid; the message names it.'],
  [rpcCodes.internal, 'Internal error.'],
  [rpcCodes.refused, 'Filter not found, or the node rejected the call.'],
  [rpcCodes.limitExceeded, 'A limit is exceeded; the message names it.'],
  [rpcCodes.badKey, 'The API key or gateway token is invalid.'],
  [rpcCodes.noNode, 'No node of the chain is reachable.'],
  [rpcCodes.nodeTimeout, 'No node of the chain answered in time.'],
] as const;

const toDocument = (method: Method) => ({
  name: method.name,
  summary: method.summary,
  paramStructure: 'by-position',
  params: method.params.map(({ name, required, kind, default: missing }) => ({
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
    description: 'JSON-RPC 2.0 for chain nodes, authenticated by the API key or gateway token in the URL.',
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
