/** Experiments in words: results and decisions. */
export { resultWords, decisionText } from '../../agent/experiments/experimentWords.ts';
