import { createLineParser } from './lines/lineParser.ts';
import { withBareLines } from './lines/bareLines.ts';
import type { LineReader, LineSink } from './lines/lineReader.ts';
import type { MetricPoint, MetricSpec } from './metric.ts';
import { checkMetricSpec, hasPatterns, isDetecting } from './lines/metricSpec.ts';
import { PatternReader } from './patterns/patternReader.ts';
import type { PatternSearch } from './patterns/patternSearch.ts';

/**
 * Returns a reader for the metrics of a spec. `search`: worker that searches lines with patterns.
 * Default: a separate worker for this reader. Throws `MetricSpecError`.
 */
export function createLineReader(
  spec: MetricSpec,
  sink: LineSink,
  search?: PatternSearch,
): LineReader {
  checkMetricSpec(spec);
  const { names = [], patterns = {} } = spec;
  const onHeader = (header: string): void => sink.onHeader?.(header);
  if (!hasPatterns(spec)) return promptReader(spec, sink);
  const others = names.filter((name) => !Object.hasOwn(patterns, name));
  const isNeeded = isDetecting(spec) || others.length > 0;
  const named = isNeeded
    ? createLineParser({ names: others, also: bareNames(spec) }, onHeader)
    : undefined;
  const parser = withBareLines(named, bareNames(spec));
  const asked = [...others, ...(spec.also ?? [])];
  return new PatternReader({ patterns, parser, asked }, sink, search);
}

/**
 * Returns the metrics of `also` without a pattern in the spec. Lines that contain nothing else are
 * searched for them, also for a name of the spec: `49 parameters`.
 */
const bareNames = ({ patterns = {}, also = [] }: MetricSpec): readonly string[] =>
  also.filter((name) => !Object.hasOwn(patterns, name));

function promptReader(spec: MetricSpec, sink: LineSink): LineReader {
  const named = createLineParser(spec, (header) => sink.onHeader?.(header));
  const also = bareNames(spec);
  const parser = withBareLines(named, also) ?? named;
  let points: MetricPoint[] | undefined;
  let timeMs = NaN;
  const add = (metric: string, step: number, value: number): void => {
    const point = { metric, step, timeMs, value };
    // An array that begins empty would reserve memory for many points.
    if (points === undefined) points = [point];
    else points.push(point);
  };
  const handOver = (end: number): void => {
    if (points === undefined) return;
    const found = points;
    points = undefined;
    sink.onPoints(found, end);
  };
  const { shapes } = named;
  return {
    isLate: false,
    backlog: undefined,
    shapes: shapes && {
      match(bytes, text, start) {
        const end = shapes.match(bytes, text, start);
        // A line without other points may have a metric of `also`.
        return also.length > 0 && shapes.count === 0 ? -1 : end;
      },
      read(place) {
        timeMs = place.timeMs;
        shapes.emit(add);
        handOver(place.end);
      },
    },
    read(line, place) {
      timeMs = place.timeMs;
      parser.parse(line, add);
      handOver(place.end);
    },
    settled: () => Promise.resolve(),
    resume: (header) => parser.resume(header),
    forget: () => undefined,
    dispose: () => undefined,
  };
}
