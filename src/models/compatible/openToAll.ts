import ipaddr from 'ipaddr.js';

/**
 * Whether what is sent there can be read on the way: plain http to an address that is not of this
 * computer or its network.
 */
export function isOpenToAll(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== 'http:') return false;
  const host = hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() === 'unicast';
  return host.includes('.') && !localNamePattern.test(host);
}

/**
 * Names that are given out inside of a network only (RFC 6761, RFC 6762, RFC 8375), and those that
 * people use so.
 */
const localNamePattern =
  /\.(?:localhost|local|internal|lan|home|corp|intranet|home\.arpa|ts\.net)$/i;
