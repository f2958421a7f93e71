export { belongsTo, byKey, hasMany } from './factories';
export { createLoaders, type Loaders } from './create-loaders';
export type { Loader, LoaderDefinition } from './types';
