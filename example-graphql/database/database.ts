import type { Options } from 'sequelize';

/** A primary with its replicas, wherever they are. */
export interface Database {
  /** For `new Sequelize(...)`: the plain replication setup that every Sequelize application has. */
  readonly options: Options;
  readonly nodes: readonly { readonly name: string; readonly url: string }[];
  /** Resolves once every replica shows all that is committed now. */
  waitForReplicas(): Promise<void>;
  /** Ends what was started for us; real databases are left alone. */
  stop(): Promise<void>;
}
