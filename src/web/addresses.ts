/**
 * Decides which web addresses may be fetched. Fails closed: an address not known to be public is
 * refused.
 */
import ipaddr from 'ipaddr.js';
import { oneLine } from '../base/text.ts';
import { WebFailure } from './webFailure.ts';

/** In a public range, but served inside every Azure virtual machine. */
const azureHost = '168.63.129.16';

/** Prefix of addresses that embed another one: `::ffff:10.0.0.1`, `64:ff9b::10.0.0.1`. */
const nat64 = ipaddr.IPv6.parse('64:ff9b::');

/**
 * Returns true for an address of the public internet; false for addresses of this computer, of
 * private networks, and for reserved ones.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4)
    return parsed.range() === 'unicast' && parsed.toString() !== azureHost;
  const range = parsed.range();
  const isHiding = range === 'ipv4Mapped' || (range === 'rfc6052' && parsed.match(nat64, 96));
  return isHiding ? isPublicAddress(parsed.toByteArray().slice(-4).join('.')) : range === 'unicast';
}

/** Names with a local meaning in every network: a proxy would resolve them in its own. */
const localName = /^[^.]+$|\.(localhost|local|internal|intranet|lan|home\.arpa|onion)$/;

/** Parses an `http` or `https` URL with a host and without a password. Throws `WebFailure`. */
export function parseAddress(text: string, base?: string): URL {
  const url = URL.parse(text.trim(), base);
  const shown = oneLine(text, 200);
  if (url === null)
    throw new WebFailure(
      'address',
      `${shown} is not a URL. Give a complete one, such as https://arxiv.org.`,
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
 * Returns the host of a URL as an address, or as a name without its last dot: `[::1]` → `::1`,
 * `example.org.` → `example.org`.
 */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/**
 * Throws `WebFailure` for a host whose name or address is not public. The addresses of a name must
 * still be checked.
 */
export function checkHost(host: string): void {
  if (ipaddr.isValid(host) ? !isPublicAddress(host) : localName.test(host)) throw notPublic(host);
}

export const notPublic = (host: string): WebFailure =>
  new WebFailure(
    'address',
    `${oneLine(host, 100)} is in a private network or on this computer. Such addresses are not fetched. The user can allow them with the setting helios.web.allowPrivateAddresses; programs reach it with remote_exec.`,
  );
