/** Network access with the settings, before there is an engine. */
export { createFetch } from '../http/network.ts';
export { proxyOf } from '../http/proxy.ts';
