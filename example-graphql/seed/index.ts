export { prepareTables } from './prepare';
export { SEED_SIZE, type SeedSize } from './size';
