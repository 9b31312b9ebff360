/** Recognizes calls of `ps` that show the environment of processes. */

/**
 * Options of `ps` that take a value, when they are written without a dash. The value is the rest of
 * the word or the next word.
 */
const valueLetters = /[oOpUtqk]/;
const valueOptions =
  /^-[a-zA-Z]*[CGOUgopqstu]$|^--(?!(?:forest|headers|no-?head\w*|deselect|cumulative|context)$)[a-z-]+$/;

/**
 * Returns true if `ps` shows the environment of processes: with an `e` among the options without a
 * dash, or with the column of that name.
 */
export function showsEnvironment(words: readonly string[]): boolean {
  let isValue = false;
  for (const word of words) {
    if (/(?:^|[,=o])environ\b/i.test(word)) return true;
    // If there is no user `x`, `ps` reads `-auxe` as `auxe`, whose `e` shows the environment.
    if (!isValue && /^-aux\w*e/.test(word)) return true;
    const isBare: boolean = !isValue && /^[a-zA-Z]/.test(word);
    const at = word.search(valueLetters);
    if (isBare && (at < 0 ? word : word.slice(0, at)).includes('e')) return true;
    isValue = isBare ? at === word.length - 1 && at >= 0 : !isValue && valueOptions.test(word);
  }
  return false;
}

/** Names of columns of `podman top`, which must not be read as options of `ps`. */
const columns =
  /^(?:args|cap\w+|comm|etime|group|groups|hgroup|hgroups|hpid|huser|label|nice|pcpu|pgid|pid|ppid|rgroup|rss|ruser|seccomp|state|stime|time|tty|user|vsz)$/;

/** Returns true if `docker top` passes options to `ps` that show the environment of processes. */
export function topShowsEnvironment(words: readonly string[]): boolean {
  const at = words.indexOf('top');
  if (at < 0 || at > 1) return false;
  return showsEnvironment(words.slice(at + 2).filter((word) => !columns.test(word)));
}
