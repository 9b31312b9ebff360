/** Draws the curves of runs as pictures. */
export { runChart } from '../reports/runChart.ts';
