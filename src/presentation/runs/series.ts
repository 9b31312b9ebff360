/** Series of points, made small enough to be drawn. */
export { downsampleForPlot, stepAxis } from '../../metrics/downsampleForPlot.ts';
export { directionOf } from '../../metrics/direction.ts';
