/** Mocha takes the reporter of a configuration file by its default export. */
export { Reporter as default } from './reporter.ts';
