/**
 * Why a mutant that no test kills changes nothing that a test could see, by its id. Such a mutant
 * is shown apart.
 */
export const equivalents: Readonly<Record<string, string>> = {
  'agent-2baad9': 'reads one more journal, whose hits are removed with those beyond the limit',
  'storage-34551e': 'a pattern finds nothing in the empty piece behind the last one',
  'storage-214986': 'a search from the end of the bytes finds nothing and ends the loop',
  'storage-5e626e': 'concerns the first block of the file, behind which nothing uses the rest',
  'machines-remote-fabb03': 'an empty piece adds nothing to the pieces that are joined',
};
