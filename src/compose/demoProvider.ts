/** The offline demo provider, for use before there is an engine. */
export { createDemoProvider } from '../models/demo.ts';
