/** The package brings no types of its own. */
declare module 'dataloader-sequelize' {
  import type { Sequelize } from 'sequelize';

  /** The option of a getter that takes a context. */
  export const EXPECTED_OPTIONS_KEY: string;
  /** Takes the patches out again. */
  export function removeContext(sequelize: Sequelize): void;
  /** Makes the loaders of one request; also patches Sequelize's classes. */
  export function createContext(sequelize: Sequelize): object;
}
