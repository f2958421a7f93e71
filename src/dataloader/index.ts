export { batch, type OwnBatchOptions } from './batch';
export { belongsTo, belongsToMany, hasMany, hasOne } from './associations';
export { byKey } from './by-key';
export { countOf } from './count-of';
export { createLoaders, type Loaders } from './create-loaders';
export type {
  ArgumentsLoader,
  BatchContext,
  KeyOf,
  KeyValue,
  Loader,
  LoaderDefinition,
  LoaderOf,
} from './types';
export type {
  BatchOptions,
  FilterOptions,
  ListOptions,
  NamedScope,
  RowOptions,
  ScopeOption,
  ThroughOptions,
} from './options';
