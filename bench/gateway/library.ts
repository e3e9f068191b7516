import type { RequestListener } from 'node:http';
import { hasPeer, importPeer } from '../peers.js';

type HttpProxy = { createProxyServer(options: object): { readonly web: RequestListener } };

const load = async (): Promise<HttpProxy> =>
  ((await importPeer('http-proxy')) as { readonly default: HttpProxy }).default;

/** Where it is not installed nobody asks for what it would make. */
export const httpProxy: HttpProxy = hasPeer('http-proxy')
  ? await load()
  : { createProxyServer: () => ({ web: () => undefined }) };
