/** Metrics out of lines that somebody else prints. */
export { createLineParser } from '../metrics/lineParser.ts';
export { LineSplitter } from '../metrics/lineSplitter.ts';
