import { type Method, methods } from '../../application/gateway/methods.js';
import { networks, variants } from '../../domain/variant.js';
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

const chains = variants.filter(({ can }) => can.includes('gateway')).map(({ segment }) => segment);
const variables = {
  host: { default: 'localhost:8080', description: 'Host of the service.' },
  chain: { default: chains[0], enum: chains, description: 'API of the chain.' },
  network: { default: networks[0], enum: networks, description: 'Network of the chain.' },
  api_key: { default: 'API_KEY', description: 'API key or gateway token.' },
};
/** Writes a variable in the syntax of OpenRPC. */
const variable = (name: keyof typeof variables) => `\${${name}}`;
const address = (transport: string) =>
  `${variable('host')}/${variable('chain')}/${variable('network')}/v1/${transport}${variable('api_key')}`;

/** Describes the gateway's methods as OpenRPC 1.3. */
export const openRpc = (version: string): object => ({
  openrpc: '1.3.2',
  info: {
    title: 'chainfold node gateway',
    version,
    description: 'JSON-RPC 2.0 for chain nodes, authenticated by the API key or gateway token in the URL.',
  },
  servers: [
    { name: 'http', url: `http://${address('')}`, variables },
    { name: 'websocket', url: `ws://${address('ws/')}`, variables },
  ],
  methods: methods.map(toDocument),
});
