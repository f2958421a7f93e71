export type { Database } from './database';
export { embeddedDatabase } from './embedded';
export { openDatabase } from './open';
