import type { RequestListener } from 'node:http';
import { hasPeer, importPeer } from '../measure/peers.js';

type HttpProxy = { createProxyServer(options: object): { readonly web: RequestListener } };

const load = async (): Promise<HttpProxy> =>
  ((await importPeer('http-proxy')) as { readonly default: HttpProxy }).default;

/** http-proxy, or a placeholder when it is not installed. No benchmark calls the placeholder. */
export const httpProxy: HttpProxy = hasPeer('http-proxy')
  ? await load()
  : { createProxyServer: () => ({ web: () => undefined }) };
