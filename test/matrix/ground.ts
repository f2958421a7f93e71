import type { Sequelize } from 'sequelize';
import { DataTypes, type Model, type ModelStatic } from 'sequelize';
import type { TestDatabase } from '../support/shared-cluster';

/**
 * One owner a cell: its scene. Every write of the matrix changes what the items of its owner with
 * n >= 100 are, and every read of the matrix asks for them, each in its own way.
 */
export interface Scene {
  readonly owner: number;
  /** An item with n = 1, tag 1. */
  readonly small: number;
  /** An item with n = 200, tag 2: the one that reads find at first. */
  readonly big: number;
  /** An item with n = 400, tag 3, that nobody owns yet. */
  readonly stray: number;
  /** An item with n = 500, tag 4, soft-deleted. */
  readonly deleted: number;
  /** Ids that are free, for rows that a write makes. */
  readonly spare: number;
  /** Outside the cell's operation: brings back what a TRUNCATE took from all. */
  readonly restore: () => Promise<void>;
}

/** A scene by number, from 1. */
export function scene(owner: number, restore: () => Promise<void>): Scene {
  const at = (offset: number) => owner * 10 + offset;
  return {
    owner,
    small: at(1),
    big: at(2),
    stray: at(3),
    deleted: at(4),
    spare: at(6),
    restore,
  };
}

export const ROLE = { username: 'matrix_app', password: 'matrix' };

/** Row-level security spares owners of tables, so the statements come from a role that owns none. */
export const GROUND = `
CREATE ROLE ${ROLE.username} LOGIN PASSWORD '${ROLE.password}';
CREATE TABLE owners (id int PRIMARY KEY, name text);
CREATE TABLE leases (owner_id int PRIMARY KEY REFERENCES owners ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE tags (id int PRIMARY KEY, label text);
CREATE TABLE items (
  id serial PRIMARY KEY,
  owner_id int REFERENCES owners ON DELETE CASCADE ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED,
  tag_id int REFERENCES tags,
  code text UNIQUE,
  n int NOT NULL,
  deleted_at timestamptz,
  UNIQUE (owner_id, tag_id),
  FOREIGN KEY (owner_id) REFERENCES leases ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED
);
ALTER SEQUENCE items_id_seq RESTART 10000000;
CREATE TABLE folders (id int PRIMARY KEY);
CREATE TABLE items_heirs (folder_id int REFERENCES folders) INHERITS (items);
CREATE INDEX ON items_heirs (owner_id);
CREATE INDEX ON items_heirs (id);
CREATE TABLE sights (id serial PRIMARY KEY, name text);
CREATE TABLE visits (id serial PRIMARY KEY, sight_id int REFERENCES sights);
CREATE VIEW visited AS SELECT s.name FROM sights s JOIN visits v ON v.sight_id = s.id;

CREATE VIEW open_items AS SELECT id, owner_id, tag_id, n FROM items WHERE deleted_at IS NULL;
CREATE VIEW big_items AS SELECT o.id AS owner_id, i.n FROM owners o JOIN open_items i ON i.owner_id = o.id WHERE i.n >= 100;
CREATE MATERIALIZED VIEW item_totals AS SELECT owner_id, sum(n)::int AS total FROM open_items WHERE n >= 100 GROUP BY owner_id;
ALTER MATERIALIZED VIEW item_totals OWNER TO ${ROLE.username};

CREATE FUNCTION lease() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN INSERT INTO leases VALUES (NEW.id) ON CONFLICT DO NOTHING; RETURN NULL; END $$;
CREATE TRIGGER leased AFTER INSERT ON owners FOR EACH ROW EXECUTE FUNCTION lease();

CREATE FUNCTION owner_total(o int) RETURNS bigint LANGUAGE sql STABLE AS
  'SELECT coalesce(sum(n), 0) FROM items WHERE owner_id = o AND n >= 100 AND deleted_at IS NULL';
CREATE FUNCTION owner_count(o int) RETURNS bigint LANGUAGE plpgsql STABLE AS
  $$ DECLARE c bigint; BEGIN SELECT sum(n) INTO c FROM open_items WHERE owner_id = o AND n >= 100; RETURN c; END $$;
CREATE FUNCTION big_total(o owners) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT owner_total(o.id)';
CREATE FUNCTION bump(o int) RETURNS int LANGUAGE plpgsql AS
  $$ BEGIN UPDATE items SET n = n + 1000 WHERE owner_id = o; RETURN o; END $$;
CREATE FUNCTION sly_bump(o int) RETURNS int LANGUAGE sql STABLE AS 'SELECT bump(o)';
CREATE FUNCTION dynamic_bump(o int) RETURNS int LANGUAGE plpgsql AS
  $$ BEGIN EXECUTE format('UPDATE %I SET n = n + 1000 WHERE owner_id = %s', 'items', o); RETURN o; END $$;
CREATE PROCEDURE raise_items(o int) LANGUAGE plpgsql AS
  $$ BEGIN UPDATE items SET n = n + 1000 WHERE owner_id = o; END $$;

CREATE TABLE orders (id serial PRIMARY KEY, owner_id int);
CREATE FUNCTION on_order() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN UPDATE items SET n = n + 1000 WHERE owner_id = NEW.owner_id; RETURN NULL; END $$;
CREATE TRIGGER ordered AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION on_order();
CREATE TABLE feed (at int, owner_id int) PARTITION BY RANGE (at);
CREATE TABLE feed_low PARTITION OF feed FOR VALUES FROM (0) TO (100);
CREATE TABLE feed_high PARTITION OF feed FOR VALUES FROM (100) TO (200);
CREATE TRIGGER fed AFTER INSERT ON feed FOR EACH ROW EXECUTE FUNCTION on_order();
CREATE TABLE inbox (owner_id int);
CREATE RULE also AS ON INSERT TO inbox DO ALSO INSERT INTO items (owner_id, n) VALUES (NEW.owner_id, 300);
CREATE VIEW desk AS SELECT 0 AS owner_id;
CREATE TRIGGER instead INSTEAD OF INSERT ON desk FOR EACH ROW EXECUTE FUNCTION on_order();

CREATE TABLE vault (owner_id int PRIMARY KEY, total int);
ALTER TABLE vault ENABLE ROW LEVEL SECURITY;
CREATE POLICY known_total ON vault USING (total =
  (SELECT sum(i.n) FROM items i WHERE i.owner_id = vault.owner_id AND i.n >= 100 AND i.deleted_at IS NULL));
GRANT ALL ON ALL TABLES IN SCHEMA public TO ${ROLE.username};
GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${ROLE.username};
INSERT INTO tags SELECT i, 'tag' || i FROM generate_series(1, 9) i;
INSERT INTO sights (name) VALUES ('tower'), ('bridge');
INSERT INTO visits (sight_id) VALUES (1), (2);
`;

/** The scenes 1 to `count`; those in `heirs` have one more item, in the table that inherits. */
export function scenes(count: number, heirs: readonly number[]): string {
  return `
INSERT INTO owners SELECT o, 'owner' || o FROM generate_series(1, ${count}) o;
INSERT INTO vault SELECT o, 200 FROM generate_series(1, ${count}) o;
INSERT INTO items (id, owner_id, tag_id, n, deleted_at)
  SELECT o * 10 + k, CASE k WHEN 3 THEN NULL ELSE o END, k, (ARRAY[1, 200, 400, 500])[k], CASE k WHEN 4 THEN now() END
  FROM generate_series(1, ${count}) o, generate_series(1, 4) k;
INSERT INTO folders VALUES (1);
${heirs.map(heirOf).join(';\n')};
REFRESH MATERIALIZED VIEW item_totals;
ANALYZE`;
}

/** The item that one owner has in the table that inherits. */
export function heirOf(owner: number): string {
  return `INSERT INTO folders VALUES (1) ON CONFLICT DO NOTHING;
INSERT INTO items_heirs (id, owner_id, n, folder_id) SELECT ${owner * 10 + 5}, ${owner}, 600, 1
  WHERE NOT EXISTS (SELECT FROM items_heirs WHERE owner_id = ${owner})`;
}

type Accessor =
  | `${'add' | 'set' | 'remove' | 'create' | 'get' | 'count' | 'has'}${'Item' | 'Items' | 'Tag' | 'Tags'}`
  | `${'set' | 'create' | 'get'}${'Main' | 'Owner'}`;
export type Row = Model & Record<Accessor, (...args: unknown[]) => Promise<unknown>>;

export interface World {
  readonly sequelize: Sequelize;
  readonly Owner: ModelStatic<Row>;
  readonly Item: ModelStatic<Row>;
  readonly Heir: ModelStatic<Row>;
  readonly Tag: ModelStatic<Row>;
  readonly Order: ModelStatic<Row>;
  readonly Sight: ModelStatic<Row>;
  /** An owner or item that nobody has read: no statement is sent for it. */
  readonly owner: (scene: Scene) => Row;
  readonly item: (id: number, values?: object) => Row;
}

/** A connection as the role without tables, with the models on it. */
export function connectWorld(database: TestDatabase): World {
  const { replication } = database.cluster.sequelizeOptions();
  const as = <Node extends object>(node: Node) => ({ ...node, ...ROLE, database: database.name });
  const sequelize = database.connect({
    replication: { write: as(replication.write), read: replication.read.map(as) },
    pool: { max: 8 },
  });
  const define = (name: string, columns: Record<string, unknown>, options: object = {}) =>
    sequelize.define<Row>(name, columns as never, {
      timestamps: false,
      underscored: true,
      ...options,
    });
  const id = { type: DataTypes.INTEGER, primaryKey: true };
  const own = { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true };
  const paranoid = { timestamps: true, createdAt: false, updatedAt: false, paranoid: true };
  const columns = { id: own, code: { type: DataTypes.TEXT, unique: true }, n: DataTypes.INTEGER };
  const Owner = define('Owner', { id, name: DataTypes.TEXT }, { tableName: 'owners' });
  const Item = define('Item', columns, { tableName: 'items', ...paranoid });
  const Heir = define(
    'Heir',
    { ...columns, ownerId: DataTypes.INTEGER },
    { tableName: 'items_heirs' },
  );
  const Tag = define('Tag', { id, label: DataTypes.TEXT }, { tableName: 'tags' });
  const Order = define('Order', { id: own, ownerId: DataTypes.INTEGER }, { tableName: 'orders' });
  const Sight = define('Sight', { id: own, name: DataTypes.TEXT }, { tableName: 'sights' });
  const Visit = define('Visit', { id: own }, { tableName: 'visits' });
  Owner.hasMany(Item, { as: 'items', foreignKey: 'ownerId' });
  Owner.hasOne(Item, { as: 'main', foreignKey: 'ownerId' });
  Item.belongsTo(Owner, { as: 'owner', foreignKey: 'ownerId' });
  Item.belongsTo(Tag, { as: 'tag', foreignKey: 'tagId' });
  Tag.hasMany(Item, { as: 'items', foreignKey: 'tagId' });
  const through = { model: Item, unique: false };
  Owner.belongsToMany(Tag, { as: 'tags', through, foreignKey: 'ownerId', otherKey: 'tagId' });
  Tag.belongsToMany(Owner, { as: 'owners', through, foreignKey: 'tagId', otherKey: 'ownerId' });
  Sight.hasMany(Visit, { as: 'visits', foreignKey: 'sightId' });
  return {
    ...{ sequelize, Owner, Item, Heir, Tag, Order, Sight },
    owner: ({ owner }) => Owner.build({ id: owner }, { isNewRecord: false }),
    item: (itemId, values = {}) => Item.build({ id: itemId, ...values }, { isNewRecord: false }),
  };
}
