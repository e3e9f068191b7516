import type { IncomingMessage } from 'node:http';

const loopback = /^(?:127\.|::1$|::ffff:127\.)/;

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/**
 * Returns true if the request comes directly from this machine. A forwarding header means that a local proxy passed the
 * request on.
 */
export const isDirect = ({ socket, headers }: IncomingMessage) =>
  loopback.test(socket.remoteAddress ?? '') && !headers['x-forwarded-for'] && !headers.forwarded;

/**
 * Returns true if the Host header names this machine or is absent. In an attack by DNS rebinding, the header names the
 * host of the attacking web page.
 */
export const hasLocalName = ({ headers }: IncomingMessage) => loopbackHost.test(headers.host ?? 'localhost');

/** Returns true for a direct request from this machine under a foreign host name, which indicates DNS rebinding. */
export const isRebound = (request: IncomingMessage) => isDirect(request) && !hasLocalName(request);
