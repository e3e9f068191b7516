import type { RequestListener } from 'node:http';
import { hasPeer, importPeer } from '../peers.js';

type HttpProxy = { createProxyServer(options: object): { readonly web: RequestListener } };

const load = async (): Promise<HttpProxy> =>
  ((await importPeer('http-proxy')) as { readonly default: HttpProxy }).default;

/** The placeholder is never called, since no bench uses http-proxy when it is not installed. */
export const httpProxy: HttpProxy = hasPeer('http-proxy')
  ? await load()
  : { createProxyServer: () => ({ web: () => undefined }) };
