/** Keeps the variables apart of commands that may have run and of those that may not. */
import type { ShellCommand } from '../../../shell/shellCommand.ts';
import { joinScopes, type Scope } from '../values/variables.ts';

const openers = /^(?:if|\{|case)$/;
const closers = /^(?:fi|\}|esac)$/;
const plain = /^(?:;|\n|&|&&|\|\||\|&?|then|elif|else|;;)$/;
const casePattern = /^[^()]+\)$/;

/** Returns true for an operator or keyword that says only when the next commands run. */
export const isSign = (item: string, before: string | ShellCommand | undefined): boolean =>
  item === '!'
    ? typeof before !== 'string' || !/^[|!]/.test(before) || before === '||'
    : [openers, closers, plain, casePattern].some((pattern) => pattern.test(item));

/** The variables around an `if`, a `case` or `{ }`. */
interface Group {
  /** Before its branches. */
  before: Scope;
  /** After each of its branches so far. */
  readonly after: Scope[];
  /** Outside of the branches, if a redirection or a pipeline keeps their effects away. */
  readonly outer: Scope;
  /** After each command so far of a list with `&&` or `||`; omitted outside of these. */
  chain?: Scope;
  /** True after a `||` of the list. */
  hasOr?: boolean;
  /** Before the list of the current command. */
  list: Scope;
}

export class Branches {
  readonly #groups: Group[];

  constructor(scope: Scope) {
    this.#groups = [newGroup(scope)];
  }

  /** True outside of `if`, `case` and `{ }`. */
  get isOutermost(): boolean {
    return this.#groups.length === 1;
  }

  open(scope: Scope): void {
    this.#groups.push(newGroup(scope));
  }

  /** Returns the variables after an operator or keyword. */
  afterSign(item: string, scope: Scope): Scope {
    if (/^(?:!|\|&?)$/.test(item)) return scope;
    const reached = this.#after(item, scope);
    const group = this.#groups.at(-1);
    if (group !== undefined && item !== '&&' && item !== '||') group.list = reached;
    return reached;
  }

  #after(item: string, scope: Scope): Scope {
    const group = this.#groups.at(-1);
    if (group === undefined) return scope;
    if (openers.test(item)) {
      this.open(scope);
      return scope;
    }
    if (item === '&&' || item === '||') {
      const chain = joinScopes(group.chain ?? scope, scope);
      group.hasOr = item === '||' || group.hasOr === true;
      group.chain = chain;
      return group.hasOr ? chain : scope;
    }
    const reached = endList(group, scope);
    // A background command sets its own variables only.
    if (item === '&') return joinScopes(group.list, reached);
    if (item === 'then') group.before = reached;
    if (/^(?:elif|else|;;)$/.test(item) || casePattern.test(item)) {
      group.after.push(reached);
      return group.before;
    }
    if (!closers.test(item)) return reached;
    this.#groups.pop();
    return [group.before, group.outer, ...group.after].reduce(joinScopes, reached);
  }

  /** Returns the variables after the last command. */
  close(scope: Scope): Scope {
    return this.#groups.reduceRight((reached, group) => endList(group, reached), scope);
  }
}

const newGroup = (scope: Scope): Group => ({ before: scope, after: [], list: scope, outer: scope });

/** Ends a list with `&&` or `||`, of which the commands may have run or not. */
function endList(group: Group, scope: Scope): Scope {
  const { chain } = group;
  delete group.chain;
  delete group.hasOr;
  return chain === undefined ? scope : joinScopes(chain, scope);
}
