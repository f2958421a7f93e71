export { Execution, Field } from './field';
export { Operation, type OperationInfo, type OperationKind } from './operation';
export {
  currentFrame,
  currentOperation,
  runAsking,
  runFeedingWrite,
  runInExactFrame,
  runInFrame,
  runInOperation,
  runRewriting,
  type Asked,
  type Batch,
  type FieldFreshness,
  type Frame,
  type TableSource,
} from './scope';
export {
  EVERYTHING,
  History,
  furthest,
  type CommitMark,
  type Proof,
  type TableEntry,
  type WriteRecord,
  type WriteState,
} from './history';
export { Seen, UNCHECKED, type NodeRun } from './seen';
export { TokenCodec, type ReadToken, type TokenWrite } from './token';
export { Ledger, type CarriedWrite } from './ledger';
export { OpenWrite, toRecord } from './open-write';
export { logicalTime, nextTime } from './logical-time';
