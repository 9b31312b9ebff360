/** Network access according to the settings, before an engine exists. */
export { createFetch } from '../http/network.ts';
export { proxyOf } from '../http/proxy.ts';
