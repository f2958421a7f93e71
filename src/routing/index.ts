export type { Decision, Reason, Target } from './decision';
export {
  decide,
  lagBound,
  type DecideInput,
  type LiveWriteView,
  type NodeView,
  type StatementView,
  type Verdict,
  type Wishes,
} from './decide';
export { rememberingDecide } from './remembering';
