/**
 * Draws mutants from the syntax of the product. The same seed and the same code give the same
 * mutants.
 */
import { dirname } from 'node:path';
import ts from 'typescript';
import { hashOf, mutated, type Mutant, type Sources } from './mutant.ts';

export const defaultSeed = 1;
export const drawnParts = [
  'runs',
  'storage',
  'permissions',
  'agent',
  'machines/remote',
  'notify',
] as const;

const kinds = ['condition', 'call', 'await', 'edge'] as const;

export interface Change {
  readonly kind: (typeof kinds)[number];
  readonly start: number;
  readonly end: number;
  readonly replace: string;
}

interface Ticket extends Mutant {
  readonly kind: Change['kind'];
  readonly lot: string;
}

/**
 * Draws `count` mutants of a part, the kinds in turn. The lot of a mutant is a hash of the seed and
 * of the line it changes, so that a change elsewhere neither moves nor renames it.
 */
export function draw(
  part: string,
  sources: Sources,
  seed: number,
  count: number,
): readonly Mutant[] {
  const tickets = ticketsOf(part, sources, seed);
  const queues = kinds.map((kind) => tickets.filter((ticket) => ticket.kind === kind));
  const drawn: Mutant[] = [];
  while (drawn.length < count && queues.some((queue) => queue.length > 0)) {
    for (const queue of queues) {
      const ticket = queue.shift();
      if (ticket === undefined || drawn.length >= count) continue;
      const { id, file, start, end, replace } = ticket;
      if (isSound(mutated(sources.get(file) ?? '', ticket)))
        drawn.push({ id, part, file, start, end, replace });
    }
  }
  return drawn;
}

function ticketsOf(part: string, sources: Sources, seed: number): readonly Ticket[] {
  const copies = new Map<string, number>();
  const tickets: Ticket[] = [];
  for (const [file, text] of sources) {
    if (!`${dirname(file)}/`.startsWith(`src/${part}/`)) continue;
    for (const change of changesIn(file, text)) {
      const line =
        text
          .slice(text.lastIndexOf('\n', change.start - 1) + 1)
          .split('\n', 1)[0]
          ?.trim() ?? '';
      const key = hashOf(change.kind, line, text.slice(change.start, change.end), change.replace);
      const copy = copies.get(key) ?? 0;
      copies.set(key, copy + 1);
      const id = `${part.replace('/', '-')}-${hashOf(key, String(copy)).slice(0, 6)}`;
      tickets.push({ ...change, id, part, file, lot: hashOf(String(seed), key, String(copy)) });
    }
  }
  return tickets.toSorted((one, other) => (one.lot < other.lot ? -1 : 1));
}

/**
 * Every change of these kinds that a file offers. What only logs is left out, and so is what is no
 * code.
 */
export function changesIn(file: string, text: string): readonly Change[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const changes: Change[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isExpressionStatement(node) &&
      /^(?:void |await )?[\w.#]*\b(?:logger|console)\b/.test(node.getText())
    )
      return;
    const change = conditionIn(node) ?? callIn(node) ?? awaitIn(node) ?? edgeIn(node);
    if (change !== undefined) changes.push(change);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return changes;
}

const changed = (kind: Change['kind'], node: ts.Node, replace: string): Change => ({
  kind,
  start: node.getStart(),
  end: node.getEnd(),
  replace,
});

function conditionIn(node: ts.Node): Change | undefined {
  const isLoop = ts.isWhileStatement(node) || ts.isDoStatement(node);
  const condition = ts.isConditionalExpression(node)
    ? node.condition
    : ts.isIfStatement(node) || isLoop
      ? node.expression
      : undefined;
  if (condition === undefined || condition.kind === ts.SyntaxKind.TrueKeyword) return undefined;
  return changed('condition', condition, `!(${condition.getText()})`);
}

function callIn(node: ts.Node): Change | undefined {
  if (!ts.isExpressionStatement(node)) return undefined;
  const call = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression;
  if (!ts.isCallExpression(call) || call.expression.kind === ts.SyntaxKind.SuperKeyword)
    return undefined;
  return changed('call', node, ';');
}

/**
 * Without its `await`, what a function returns is waited for all the same, but for its own `try`.
 */
function awaitIn(node: ts.Node): Change | undefined {
  if (!ts.isAwaitExpression(node)) return undefined;
  const isReturned = ts.isReturnStatement(node.parent) || ts.isArrowFunction(node.parent);
  const block = ts.findAncestor(
    node.parent,
    (above) => ts.isTryStatement(above) || ts.isFunctionLike(above),
  );
  if (isReturned && !(block && ts.isTryStatement(block))) return undefined;
  return changed('await', node, node.expression.getText());
}

const shifted: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.LessThanToken]: '<=',
  [ts.SyntaxKind.LessThanEqualsToken]: '<',
  [ts.SyntaxKind.GreaterThanToken]: '>=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '>',
};

function edgeIn(node: ts.Node): Change | undefined {
  if (ts.isBinaryExpression(node)) {
    const { operatorToken, right } = node;
    const operator = shifted[operatorToken.kind];
    if (operator !== undefined) return changed('edge', operatorToken, operator);
    const isSum =
      operatorToken.kind === ts.SyntaxKind.PlusToken ||
      operatorToken.kind === ts.SyntaxKind.MinusToken;
    return isSum && ts.isNumericLiteral(right) && right.text === '1'
      ? changed('edge', right, '0')
      : undefined;
  }
  const call = node.parent;
  if (!ts.isExpression(node) || call === undefined || !ts.isCallExpression(call)) return undefined;
  if (!call.arguments.includes(node) || !ts.isPropertyAccessExpression(call.expression))
    return undefined;
  if (!/^(?:slice|subarray|substring)$/.test(call.expression.name.text)) return undefined;
  return changed(
    'edge',
    node,
    ts.isNumericLiteral(node) ? String(Number(node.text) + 1) : `(${node.getText()}) + 1`,
  );
}

const isSound = (text: string): boolean =>
  ts.transpileModule(text, {
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.Latest },
  }).diagnostics?.length === 0;
