import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { createEgress, type Egress } from '../../../infrastructure/egress/guard.js';
import { freshDirectory } from '../run/directories.js';

const closing: (() => unknown)[] = [];
export const closeAfterTest = (close: () => unknown) => void closing.push(close);
export const closeAll = async () => {
  for (const close of closing.splice(0).reverse()) await close();
};

export const portOf = (server: Pick<Server, 'address'>) => (server.address() as AddressInfo).port;
export const serve = async (answer: RequestListener, server: Server = createServer(answer)) => {
  server.listen(0, '127.0.0.1');
  closing.push(() => server.close().closeAllConnections());
  await once(server, 'listening');
  return portOf(server);
};
export const egressWith = (settings: Partial<Parameters<typeof createEgress>[0]> = {}) => {
  const egress = createEgress({ allowPrivate: false, httpsOnly: false, ...settings });
  closing.push(egress.close);
  return egress;
};
export const visit = async (egress: Egress, url: string) =>
  (await request(url, { dispatcher: egress.dispatcher })).body.text();

/**
 * Redirects every connection to `port` and returns the list of dialled addresses. Sockets report `seen`, by default the
 * dialled address, as their remote address.
 */
export const divert = (port: number, seen?: string) => {
  const { connect } = net;
  const dialled: string[] = [];
  const diverted = (options: net.TcpNetConnectOpts) => {
    let reached = options.host;
    const lookup: net.LookupFunction = (_host, wanted, callback) => {
      const arrive = (addresses: string[]) => {
        dialled.push(...addresses);
        reached = addresses[0];
        callback(null, [{ address: '127.0.0.1', family: 4 }]);
      };
      if (net.isIP(options.host ?? '')) return arrive([options.host ?? '']);
      options.lookup?.(options.host ?? '', wanted, (error, answer) =>
        error ? callback(error, []) : arrive((answer as { address: string }[]).map(({ address }) => address)),
      );
    };
    const socket = connect({ ...options, host: 'diverted.example', port, lookup });
    return Object.defineProperty(socket, 'remoteAddress', { get: () => seen ?? reached });
  };
  Object.assign(net, { connect: diverted });
  closing.push(() => Object.assign(net, { connect }));
  return dialled;
};

const pem = (label: string, base64: string) => `-----BEGIN ${label}-----\n${base64}\n-----END ${label}-----\n`;
/** Self-signed certificate of receiver.example, for tests of the trusted certificate authorities. */
const cert = pem(
  'CERTIFICATE',
  'MIIBVTCB/aADAgECAgEBMAoGCCqGSM49BAMCMBsxGTAXBgNVBAMMEHJlY2VpdmVyLmV4YW1wbGUwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBsxGTAXBgNVBAMMEHJlY2VpdmVyLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATDqSqIxZLJqN63VFRhUChcWHt064KZVlehtLD+rpO7Pmk7Jt1sHnk1kFRWBXwYg86cMFrJZ4zIA1iBZT2Ur7AKozAwLjAbBgNVHREEFDASghByZWNlaXZlci5leGFtcGxlMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgAWZXcz59WCxbWea8mJDF6oKlQEK10Ghl3OGfAlGmrccCIDijh/WwXJHaPgdE85cuqXX7OQ1jEIzYCVkX9PKHwEMv',
);
const key = pem(
  'PRIVATE KEY',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJ1L7UXvaNt7DkJzt9FLzPV25AOFtAMbAbA6HML13ctChRANCAATDqSqIxZLJqN63VFRhUChcWHt064KZVlehtLD+rpO7Pmk7Jt1sHnk1kFRWBXwYg86cMFrJZ4zIA1iBZT2Ur7AK',
);
export const serveSecurely = (answer: RequestListener) => serve(answer, createTlsServer({ cert, key }, answer));

/**
 * Returns a program that requests `url` and prints the answer or the error code. The program runs in a process of its
 * own, because Node reads extra certificate authorities only at startup.
 */
const program = (url: string) => `
  import { createEgress } from ${JSON.stringify(new URL('../../../infrastructure/egress/guard.ts', import.meta.url).href)};
  import { request } from 'undici';
  const egress = createEgress({ allowPrivate: true, httpsOnly: true, lookup: async () => ['127.0.0.1'] });
  const answer = request(${JSON.stringify(url)}, { dispatcher: egress.dispatcher }).then(({ body }) => body.text());
  process.stdout.write(await answer.catch(({ code }) => code));
  await egress.close();
`;
export const visitTrusting = async (url: string) => {
  const ca = join(freshDirectory(), 'ca.pem');
  writeFileSync(ca, cert);
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program(url)], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: ca },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return text(child.stdout);
};
