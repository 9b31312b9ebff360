/** Results of a session as a table in a file. */
export { writeResultsTsv } from '../experiments/resultsTsv.ts';
