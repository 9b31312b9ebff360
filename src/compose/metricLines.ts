/** Parses metrics from lines of output. */
export { createLineParser } from '../metrics/lineParser.ts';
export { LineSplitter } from '../metrics/lineSplitter.ts';
