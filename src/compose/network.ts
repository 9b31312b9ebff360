/** The network as the settings say, before there is an engine. */
export { createFetch } from '../http/network.ts';
export { proxyOf } from '../http/proxy.ts';
