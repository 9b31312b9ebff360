/**
 * Requests that use the proxy and the certificates of the settings, for use before an engine
 * exists.
 */
export { createFetch } from '../http/network.ts';
export { proxyOf } from '../http/proxy.ts';
