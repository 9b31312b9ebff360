import ipaddr from 'ipaddr.js';

/**
 * Returns whether requests to the address can be read in transit: plain http to a host outside this
 * computer and its network.
 */
export function isOpenToAll(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== 'http:') return false;
  const host = hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() === 'unicast';
  return host.includes('.') && !localNamePattern.test(host);
}

/**
 * Matches host names that are used only inside a network (RFC 6761, RFC 6762, RFC 8375, or by
 * convention).
 */
const localNamePattern =
  /\.(?:localhost|local|internal|lan|home|corp|intranet|home\.arpa|ts\.net)$/i;
