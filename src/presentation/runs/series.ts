/** Downsampling of series for plots. */
export { downsampleForPlot, stepAxis } from '../../metrics/plot/downsampleForPlot.ts';
export { plotSampled } from '../../metrics/plot/plotSampled.ts';
export { directionOf } from '../../metrics/direction.ts';
