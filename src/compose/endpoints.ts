/** Model endpoints in the settings. */
export { endpointSecret, endpointVariable, checkEndpoints } from '../models/endpoints.ts';
