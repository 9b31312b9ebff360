/** Writes the results of a session to a table file. */
export { writeResultsTsv } from '../experiments/resultsTsv.ts';
