/** User-defined model endpoints from the settings. */
export { endpointSecret, endpointVariable, checkEndpoints } from '../models/endpoints.ts';
