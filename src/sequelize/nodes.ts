import type { Connection, NodeConfig, SequelizeInternals } from './internals';

export const PRIMARY = 'primary';

/** The nodes of one instance by name. */
export class Nodes {
  /** In the order of `replication.read`; empty without replication. */
  readonly replicas: readonly string[];
  readonly #byAddress = new Map<string, string>();

  constructor(sequelize: SequelizeInternals) {
    // As Sequelize has filled it in: without `read` it reads where the options of the instance lead.
    const { replication } = sequelize.connectionManager.config;
    const read = replication ? replication.read : [];
    this.replicas = read.map((config, index) => nameOf(config, index));
    read.forEach((config, index) => {
      const address = addressOf(config, sequelize);
      // Of two entries with one address the first gives the name: they can't be told apart.
      if (!this.#byAddress.has(address)) this.#byAddress.set(address, nameOf(config, index));
    });
  }

  /** The node at the other end of `connection`. */
  of(connection: Connection): string {
    if (connection.queryType !== 'read') return PRIMARY;
    const address = `${connection.host ?? ''}:${connection.port ?? ''}`;
    return this.#byAddress.get(address) ?? this.replicas[0] ?? PRIMARY;
  }
}

function nameOf(config: NodeConfig, index: number): string {
  return typeof config.name === 'string' && config.name !== ''
    ? config.name
    : `replica${index + 1}`;
}

function addressOf(config: NodeConfig, sequelize: SequelizeInternals): string {
  const host = config.host ?? sequelize.config.host ?? '';
  const port = config.port ?? sequelize.config.port ?? 5432;
  return `${host}:${port}`;
}
