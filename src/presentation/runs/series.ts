/** Series of points, made small enough to be drawn. */
export { downsample, stepAxis } from '../../metrics/downsample.ts';
export { directionOf } from '../../metrics/direction.ts';
