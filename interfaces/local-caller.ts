import type { IncomingMessage } from 'node:http';

const loopback = /^(?:127\.|::1$|::ffff:127\.)/;

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Returns true for a direct caller on this machine. A forwarding header marks a caller behind a local proxy. */
export const isDirect = ({ socket, headers }: IncomingMessage) =>
  loopback.test(socket.remoteAddress ?? '') && !headers['x-forwarded-for'] && !headers.forwarded;

/** Returns false for another host name, which may be that of a web page that uses DNS rebinding. */
export const hasLocalName = ({ headers }: IncomingMessage) => loopbackHost.test(headers.host ?? 'localhost');

/** Returns true for a request that a web page may have sent to this machine under a host name of its own. */
export const isRebound = (request: IncomingMessage) => isDirect(request) && !hasLocalName(request);
