import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Parts = readonly number[];

/** Metadata service of Azure: an internal endpoint whose address lies in a public range. */
const metadataServices = ['168.63.129.16'];

/** Range of all public IPv6 addresses. Other addresses are translated, local or unassigned. */
const assignedIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

const ipv4 = (high = 0, low = 0) => new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]);

/**
 * Functions, keyed by the name of an IPv6 range. Each returns the IPv4 addresses that are embedded in an IPv6 address
 * of the range, given by its 16-bit parts. Traffic to the IPv6 address is forwarded to the IPv4 addresses.
 */
const embedded: Readonly<Record<string, (parts: Parts) => readonly ipaddr.IPv4[]>> = {
  ipv4Mapped: (parts) => [ipv4(parts[6], parts[7])],
  // The range 64:ff9b:1::/48 is for translation inside a site, so it counts as private.
  rfc6052: (parts) => (parts[2] === 0 ? [ipv4(parts[6], parts[7])] : []),
  '6to4': (parts) => [ipv4(parts[1], parts[2])],
  teredo: ([, , serverHigh, serverLow, , , high = 0, low = 0]) => [
    ipv4(serverHigh, serverLow),
    ipv4(high ^ 0xffff, low ^ 0xffff),
  ],
};

const isPublicIpv4 = (address: ipaddr.IPv4) =>
  address.range() === 'unicast' && !metadataServices.includes(address.toString());

const isPublicIpv6 = (address: ipaddr.IPv6) => {
  const inside = embedded[address.range()]?.(address.parts);
  if (inside) return inside.length > 0 && inside.every(isPublicIpv4);
  return address.range() === 'unicast' && address.match(assignedIpv6);
};

/** Returns whether a text is an IP address of the public Internet. */
export const isPublic = (text: string): boolean => {
  // Rejects spellings such as 127.1, which ipaddr.js accepts too, because `net.connect` may parse such spellings
  // differently.
  if (isIP(text) === 0 || !ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  return address instanceof ipaddr.IPv4 ? isPublicIpv4(address) : isPublicIpv6(address);
};
