export { Operation, type OperationInfo, type OperationKind } from './operation';
export {
  currentFrame,
  currentOperation,
  runAsking,
  runFeedingWrite,
  runInExactFrame,
  runInFrame,
  type Asked,
  type Batch,
  type Frame,
} from './scope';
export {
  EVERYTHING,
  History,
  type CommitMark,
  type TableEntry,
  type WriteRecord,
  type WriteState,
} from './history';
export { Ledger, OpenWrite, logicalTime, toRecord } from './ledger';
