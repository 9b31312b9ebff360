/** Tells whether a script of awk may write files or run commands. */

/** A bracket that is open, or the script as a whole. */
interface Frame {
  readonly opener: string;
  /** True for the head of `if`, `for` and the like. */
  readonly isHead: boolean;
  /** True after `print` in the same statement: a `>` then writes a file, else it compares. */
  isPrinting: boolean;
}

/**
 * What a slash means after a token:
 * - `regexp`: it begins a regular expression
 * - `division`: it divides
 * - `unclear`: that depends on the grammar of the awk that runs
 */
type Slash = 'regexp' | 'division' | 'unclear';

const token =
  /[ \t\r]+|#[^\n]*|"(?:[^"\\\n]|\\[^\n])*"|[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\+\+|--|&&|\|\||[^]/y;
/** Matches what every awk reads as one regular expression: no slash in `[…]`. */
const regexp = /\/(?:[^/\\\n[]|\\[^\n]|\[\^?\]?[^\]/\n\\]*\])*\//y;

/** The words after which a slash begins a regular expression. */
const beforeRegexp = /^(?:print|printf|return|in|else|do|case)$/;
/** Further words of the language. */
const words =
  /^(?:exit|delete|length|next|nextfile|break|continue|function|func|BEGIN|END|BEGINFILE|ENDFILE|if|while|for|switch|default|getline)$/;
const heads = /^(?:if|while|for|switch)$/;
const closers: Readonly<Record<string, string>> = { ')': '(', ']': '[' };

/**
 * Returns true if a script of awk may write a file or run a command: with `>` after `print`, or
 * with `|`. A script that is not understood may do so if it has one of these signs anywhere.
 */
export function awkWrites(script: string): boolean {
  const found = new AwkReader(script).writes();
  return found ?? /[>|]/.test(script);
}

class AwkReader {
  readonly #script: string;
  readonly #frames: Frame[] = [{ opener: '', isHead: false, isPrinting: false }];
  #at = 0;
  /** The last token that is neither a blank nor a comment. */
  #last = '\n';
  #slash: Slash = 'regexp';

  constructor(script: string) {
    this.#script = script;
  }

  /** Returns whether the script writes; `undefined` if it is not understood. */
  writes(): boolean | undefined {
    while (this.#at < this.#script.length) {
      const next = this.#next();
      const frame = this.#frames.at(-1);
      if (next === undefined || frame === undefined) return undefined;
      if (next === '|' || (next === '>' && frame.isPrinting)) return true;
      if (/^(?:[ \t\r]|#)/.test(next)) continue;
      if (!this.#take(next, frame)) return undefined;
      this.#last = next;
    }
    return this.#frames.length === 1 ? false : undefined;
  }

  /** Returns the next token; `undefined` if it is not known where it ends. */
  #next(): string | undefined {
    const isSlash = this.#script[this.#at] === '/';
    if (isSlash && this.#slash === 'unclear') return undefined;
    const pattern = isSlash && this.#slash === 'regexp' ? regexp : token;
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#script) ?? [];
    this.#at += found?.length ?? 0;
    return found;
  }

  #close(next: string, { isHead, opener }: Frame): boolean {
    this.#frames.pop();
    this.#slash = isHead ? 'unclear' : 'division';
    return opener === closers[next];
  }

  /** Notes a token. Returns false if the script is not understood. */
  #take(next: string, frame: Frame): boolean {
    if (/^["\\`']$/.test(next)) return false;
    if (next === '(' || next === '[') {
      const isHead = heads.test(this.#last);
      this.#frames.push({ opener: next, isHead, isPrinting: false });
      this.#slash = 'regexp';
      return true;
    }
    if (next === ')' || next === ']') return this.#close(next, frame);
    const isBrace = next === '{' || next === '}';
    if (next === ';' || isBrace) frame.isPrinting = false;
    else if (/^printf?$/.test(next)) frame.isPrinting = true;
    this.#slash = slashAfter(next, this.#frames.length > 1);
    return !isBrace || this.#frames.length === 1;
  }
}

function slashAfter(next: string, isInBrackets: boolean): Slash {
  if (beforeRegexp.test(next)) return 'regexp';
  if (words.test(next) || /^(?:\+\+|--|\$)$/.test(next)) return 'unclear';
  if (next === '\n') return isInBrackets ? 'unclear' : 'regexp';
  return /^(?:["\w.]|\/.)/.test(next) ? 'division' : 'regexp';
}
