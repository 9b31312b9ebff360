/** Arranges the charts of many metrics in sections: `eval/loss` is in the section `eval`. */

export interface Section {
  /** Name before the slash; empty for metrics without one. */
  readonly name: string;
  readonly metrics: readonly string[];
}

/** Section of the resources that Helios measures, which are never among metrics of the runs. */
const systemSection = 'System';
/** Number of metrics up to which there is only one section. */
const maxTogether = 8;

/**
 * Returns the sections with the metrics whose names contain every word of the filter, in the order
 * of their first metrics. A few metrics, and metrics whose names have no slash, are one section
 * without a name.
 */
export function sectionsOf(names: readonly string[], filter: string): readonly Section[] {
  const words = filter.toLowerCase().split(/\s+/);
  const found = names.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
  if (found.length === 0) return [];
  const isOwn = (name: string): boolean => sectionName(name) !== systemSection;
  if (names.filter(isOwn).length <= maxTogether)
    return [
      { name: '', metrics: found.filter(isOwn) },
      { name: systemSection, metrics: found.filter((name) => !isOwn(name)) },
    ].filter(({ metrics }) => metrics.length > 0);
  return [...Map.groupBy(found, sectionName)].map(([name, metrics]) => ({ name, metrics }));
}

const sectionName = (metric: string): string => metric.split('/').slice(0, -1).join('/');
