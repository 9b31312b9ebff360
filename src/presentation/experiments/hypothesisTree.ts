/** The tree of experiments: which experiment built on the code of which. */
export { hypothesisTree } from '../../experiments/hypothesisTree.ts';
