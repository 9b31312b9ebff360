import type { Direction } from './metric.ts';

const words = (text: string, direction: Direction): [string, Direction][] =>
  text.split(' ').map((word) => [word, direction]);

const directions: ReadonlyMap<string, Direction> = new Map([
  ...words(
    'loss losses err error errors perplexity ppl bpb bpc bpd bpt nll ce xent crossentropy logloss brier',
    'lower',
  ),
  ...words(
    'distance rmsd verlust verluste fehler fehlerrate perplexität validierungsverlust trainingsverlust',
    'lower',
  ),
  ...words(
    'fitness corr correlation pearson spearman kendall genauigkeit belohnung testgenauigkeit speedup',
    'higher',
  ),
  ...words(
    'mse mae mape smape rmse rmsle wer cer ter eer fid kid lpips fpr fnr ece regret latency',
    'lower',
  ),
  ...words(
    'acc accuracy f1 fscore auc auroc auprc ap map miou iou dice jaccard kappa mcc precision prec',
    'higher',
  ),
  ...words(
    'recall bleu rouge meteor cider chrf em exact pass success hits mrr ndcg psnr ssim elbo r2',
    'higher',
  ),
  ...words(
    'reward rewards rew return returns ret score scores elo win wins throughput mfu',
    'higher',
  ),
  ...words(
    'lr learning norm grad time step steps epoch epochs iter gpu cpu mem memory scale std var weight',
    'none',
  ),
  ...words('temperature entropy kl count seed decay momentum size', 'none'),
]);

/**
 * Names that are also ordinary words. If the whole name is one of these words, it is not a known
 * metric, although its direction is known.
 */
const ambiguousAlone =
  /^(?:errors?|err|map|ap|em|ce|pass|exact|returns?|ret|precision|prec|success|win|wins|scores?)$/i;

const neutralMetric = /(?:^|[/._-])(?:lr|learning_rate|grad_?norm)(?:$|[/._-])/i;

/**
 * Returns whether lower or higher values of a metric are better, judged by its name. The last word
 * of the name that has a known direction decides, so other words do not matter (`val/loss`,
 * `loss_train`, `test_acc@1`, `evalAccuracy`). An entry of `overrides` applies only to the metric
 * whose whole name is the key of the entry, ignoring case.
 */
export function directionOf(
  name: string,
  overrides: Readonly<Record<string, Direction>> = {},
): Direction {
  const lower = name.toLowerCase();
  const override = Object.entries(overrides).find(([key]) => key.toLowerCase() === lower);
  return override?.[1] ?? directionByWords(name) ?? 'none';
}

/**
 * Returns whether the name is known to be a metric. When metrics are detected in output, a known
 * metric is accepted on first occurrence; any other name has to occur twice.
 */
export function isKnownMetric(name: string): boolean {
  if (ambiguousAlone.test(name)) return false;
  const direction = directionByWords(name);
  return direction === 'lower' || direction === 'higher' || neutralMetric.test(name);
}

/** Matches names of speeds: `tokens_per_sec`, `it/s`, `ops_per_second`, `samples/sec`. */
const speed = /(?:per_?s(?:ec(?:ond)?)?|\/s(?:ec)?|(?:^|_)(?:fps|qps|iops|speedup))$/i;
/**
 * Matches names of durations: `time_ms`, `median_us`, `runtime`, `wall_time`, `elapsed_s`. Less is
 * better.
 */
const duration =
  /(?:^|_)(?:runtime|elapsed|wall_?time|walltime)(?:_|$)|[a-z]_(?:ms|us|ns|secs?|seconds)$/i;

/** Returns whether a metric measures how long or how fast something ran. */
export const isTiming = (name: string): boolean => speed.test(name) || duration.test(name);

function directionByWords(name: string): Direction | undefined {
  if (speed.test(name)) return 'higher';
  if (duration.test(name)) return 'lower';
  const words = name
    .split(/[^\p{L}\d]+/u)
    .reverse()
    .flatMap(readings);
  for (const word of words) {
    const direction = directions.get(word) ?? directions.get(word.replace(/\d+$/, ''));
    if (direction !== undefined) return direction;
    if (word.startsWith('rouge')) return 'higher';
  }
  return undefined;
}

/**
 * Returns the ways to read a word: first the whole word (`mIoU`), then its camel-case parts from
 * the last to the first (`evalAccuracy`: `accuracy`, `eval`).
 */
const readings = (word: string): string[] => [
  word.toLowerCase(),
  ...word
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(' ')
    .reverse(),
];
