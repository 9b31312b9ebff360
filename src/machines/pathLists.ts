/**
 * Reads lists of paths: each path ends with a NUL, and each list with another NUL. A path may have
 * any other character, also a line end.
 */
export function pathLists(answer: string): readonly (readonly string[])[] {
  const lists: string[][] = [[]];
  for (const part of answer.split('\0').slice(0, -1)) {
    if (part === '') lists.push([]);
    else lists.at(-1)?.push(part);
  }
  return lists.slice(0, -1);
}
