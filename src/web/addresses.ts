/**
 * Decides which web addresses may be fetched. An address that is not known to be public is refused.
 */
import ipaddr from 'ipaddr.js';
import { oneLine } from '../base/text.ts';
import { WebFailure } from './webFailure.ts';

/**
 * Addresses, besides link-local ones, at which clouds give credentials to a virtual machine. Some
 * of them are in public ranges.
 */
const credentialHosts = ['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254'];

/** Prefixes, of 96 bits, of IPv6 addresses that embed an IPv4 address: `::10.0.0.1`. */
const embedding = ['::', '::ffff:0:0', '64:ff9b::'].map((prefix) => ipaddr.IPv6.parse(prefix));

/** The IPv6 addresses that are assigned to the public internet: `2000::/3`. */
const global = ipaddr.IPv6.parse('2000::');

/**
 * Returns true for an address on the public internet. Returns false for addresses of this computer,
 * of private networks, and for reserved addresses.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = reached(address);
  if (parsed?.range() !== 'unicast' || givesCredentials(address)) return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(global, 3);
}

/**
 * Returns true for an address at which a cloud gives credentials to every program that asks. Such
 * an address is never fetched, even if private addresses are allowed.
 */
export function givesCredentials(address: string): boolean {
  const parsed = reached(address);
  return (
    parsed !== undefined &&
    (parsed.range() === 'linkLocal' || credentialHosts.includes(parsed.toString()))
  );
}

/**
 * Returns the parsed address. For an IPv6 address that embeds an IPv4 address, returns the IPv4
 * address.
 */
function reached(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv6 && embedding.some((prefix) => parsed.match(prefix, 96))
    ? ipaddr.fromByteArray(parsed.toByteArray().slice(-4))
    : parsed;
}

/**
 * Matches host names that exist only in a local network, such as `printer` or `nas.local`. Such a
 * name is refused, since a proxy would resolve it in the network of the proxy.
 */
const localName = /^[^.]+$|\.(localhost|local|internal|intranet|lan|home\.arpa|onion)$/;

/**
 * Parses an `http` or `https` URL. Throws `WebFailure` for any other text, and for a URL with a
 * user name or a password.
 */
export function parseAddress(text: string, base?: string): URL {
  const url = URL.parse(text.trim(), base);
  const shown = oneLine(text, 200);
  if (url === null)
    throw new WebFailure(
      'address',
      `${shown} is not a URL. Give a complete URL, such as https://arxiv.org.`,
    );
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new WebFailure(
      'address',
      `Only http and https addresses can be fetched, not ${oneLine(url.protocol, 40)}`,
    );
  if (url.username !== '' || url.password !== '')
    throw new WebFailure(
      'address',
      'The URL contains a user name or a password, which are never sent. Remove them.',
    );
  return url;
}

/**
 * Returns the host of a URL: an address without brackets, or a name without its last dot. `[::1]`
 * becomes `::1`, and `example.org.` becomes `example.org`.
 */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/**
 * Throws `WebFailure` if the host is a local name or an address that is not public. For other
 * names, the caller must still check the addresses that they resolve to.
 */
export function checkHost(host: string): void {
  if (ipaddr.isValid(host) ? !isPublicAddress(host) : localName.test(host)) throw notPublic(host);
}

export const notPublic = (host: string): WebFailure =>
  new WebFailure(
    'address',
    `${oneLine(host, 100)} is in a private network or on this computer, and private addresses are not fetched. The user can allow them with the setting helios.web.allowPrivateAddresses. A command on a machine may reach the host: use remote_exec.`,
  );

export const credentialHost = (host: string): WebFailure =>
  new WebFailure(
    'address',
    `${oneLine(host, 100)} gives out credentials of a cloud, and is never fetched.`,
  );
