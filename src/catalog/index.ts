export type {
  AnalyseBody,
  BodyFacts,
  Catalog,
  CatalogOptions,
  CatalogQuery,
  QualifiedName,
  ReadClosure,
  RelationKey,
  RelationWrite,
  ResolveOptions,
  StatementFacts,
  WriteClosure,
} from './types';
export { readFingerprint } from './fingerprint';
export { loadCatalog } from './load';
