/** Reads metrics from lines of output. */
export { createLineReader } from '../metrics/createLineReader.ts';
export { LineSplitter } from '../metrics/lines/lineSplitter.ts';
