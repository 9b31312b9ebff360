/** Computes what views plot of a series: its samples, and the direction of its metric. */
export { downsampleForPlot, stepAxis } from '../../metrics/plot/downsampleForPlot.ts';
export { inOrder } from '../../metrics/plot/inOrder.ts';
export { meanCurve, type MeanCurve } from '../../metrics/plot/meanCurve.ts';
export { plotSampled } from '../../metrics/plot/plotSampled.ts';
export { printedValue } from '../../metrics/printedValue.ts';
export { directionOf } from '../../metrics/direction.ts';
