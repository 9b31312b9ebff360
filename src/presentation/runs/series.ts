/** Downsampling of series for plots. */
export { downsampleForPlot, stepAxis } from '../../metrics/downsampleForPlot.ts';
export { plotSampled } from '../../metrics/plotSampled.ts';
export { directionOf } from '../../metrics/direction.ts';
