/** Results of a session as a table file. */
export { writeResultsTsv } from '../experiments/resultsTsv.ts';
