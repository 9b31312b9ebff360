/** When a command ran, by its own word: it prints `start_ns` and `end_ns`, of `date +%s%N`. */
export interface Stamps {
  readonly startMs: number;
  readonly endMs: number;
}

/** Throws where the command did not say it. */
export function stampsOf(output: string): Stamps {
  const stamp = (name: string): number =>
    Number(new RegExp(`${name}=(\\d+)`).exec(output)?.[1]) / 1e6;
  const stamps = { startMs: stamp('start_ns'), endMs: stamp('end_ns') };
  if (!(stamps.endMs > stamps.startMs))
    throw new Error(`The process did not say when it ran:\n${output}`);
  return stamps;
}
