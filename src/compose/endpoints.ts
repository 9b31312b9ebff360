/** Endpoints of models as the settings name them. */
export { endpointSecret, endpointVariable, checkEndpoints } from '../models/endpoints.ts';
