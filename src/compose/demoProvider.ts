/** The model provider of the offline demo, for use before an engine exists. */
export { createDemoProvider } from '../models/demo.ts';
