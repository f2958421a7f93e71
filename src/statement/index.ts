export { createAnalyser } from './analyser';
export { isHarmlessFunction } from './harmless';
export { createMatcher } from './matcher';
export { loadParser } from './parser';
export { analyseFunction } from './routine-analysis';
export { suspicious } from './suspicious';
export { WriteAction } from './types';
export type {
  Analyser,
  AnalyserOptions,
  Analysis,
  AnalysisProblem,
  FunctionName,
  RelationName,
  StatementKind,
  TextMatcher,
  TransactionCommand,
  TransactionCommandName,
  WriteTarget,
} from './types';
