/**
 * Why a mutant that no test kills changes nothing that a test could see, by its id. Such a mutant
 * is shown apart.
 */
export const equivalents: Readonly<Record<string, string>> = {};
