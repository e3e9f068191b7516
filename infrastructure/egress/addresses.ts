import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Parts = readonly number[];

/** Azure answers its machines here, about themselves, on an address that looks like anybody's. */
const notForAll = ['168.63.129.16'];

/** All that is assigned to the public IPv6 Internet; what lies outside is translated, local or nobody's. */
const assignedIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

const ipv4 = (high = 0, low = 0) => new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]);

/** Where traffic to an IPv6 address of each of these ranges ends up: at every IPv4 address that is written in it. */
const embedded: Readonly<Record<string, (parts: Parts) => readonly ipaddr.IPv4[]>> = {
  ipv4Mapped: (parts) => [ipv4(parts[6], parts[7])],
  // The second range of this kind, 64:ff9b:1::/48, is for translation inside a site.
  rfc6052: (parts) => (parts[2] === 0 ? [ipv4(parts[6], parts[7])] : []),
  '6to4': (parts) => [ipv4(parts[1], parts[2])],
  teredo: ([, , serverHigh, serverLow, , , high = 0, low = 0]) => [
    ipv4(serverHigh, serverLow),
    ipv4(high ^ 0xffff, low ^ 0xffff),
  ],
};

const isPublicIpv4 = (address: ipaddr.IPv4) => address.range() === 'unicast' && !notForAll.includes(address.toString());

const isPublicIpv6 = (address: ipaddr.IPv6) => {
  const inside = embedded[address.range()]?.(address.parts);
  if (inside) return inside.length > 0 && inside.every(isPublicIpv4);
  return address.range() === 'unicast' && address.match(assignedIpv6);
};

/** Whether an IP address is one of the public Internet; what is no address at all is not. */
export const isPublic = (text: string): boolean => {
  // ipaddr.js also reads spellings such as 127.1; who dials may read those otherwise.
  if (isIP(text) === 0 || !ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  return address instanceof ipaddr.IPv4 ? isPublicIpv4(address) : isPublicIpv6(address);
};
