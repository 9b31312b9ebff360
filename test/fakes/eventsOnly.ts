import type { FollowSink, Machine } from '../../src/machines/machine.ts';

/**
 * The machine without what it finds out by looking now and then: whoever follows a file there hears
 * of events alone.
 */
export function eventsOnly<Kind extends Machine>(machine: Kind): Kind {
  const follow = machine.follow.bind(machine);
  return Object.assign(machine, {
    follow: (path: string, offset: number, sink: FollowSink) =>
      follow(path, offset, {
        onBytes: (bytes, at) => sink.onBytes(bytes, at),
        onError: (error) => sink.onError(error),
        onChange: (name) => {
          // A look tells of no name.
          if (name !== undefined) sink.onChange(name);
        },
      }),
  });
}
