/** The offline demo, to be chosen before there is an engine. */
export { createDemoProvider } from '../models/demo.ts';
