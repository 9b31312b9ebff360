/** Loads ssh2 when a host is first connected to. */
import type * as ssh2 from 'ssh2';

export type SshLibrary = Pick<typeof ssh2, 'Client' | 'utils'>;

let loaded: Promise<SshLibrary> | undefined;

export const loadSsh = (): Promise<SshLibrary> => (loaded ??= load());

/**
 * ssh2 is a CommonJS package: exports that Node does not detect are found on the default export.
 */
async function load(): Promise<SshLibrary> {
  const library: typeof ssh2 & { readonly default?: typeof ssh2 } = await import('ssh2');
  return library.default ?? library;
}
