import type { Register } from '../history';

/** Rows that one counter of versions belongs to; each stands for one row in one or more tables. */
export type Family = 'items' | 'parents' | 'readings' | 'notes' | 'tags' | 'quiet' | 'late';

/** The tables in which a version of the family shows, some of them only by what the database adds. */
export const TABLES: Readonly<Record<Family, readonly string[]>> = {
  items: ['items', 'totals'],
  parents: ['parents', 'children'],
  readings: ['readings'],
  notes: ['notes'],
  tags: ['tags'],
  quiet: ['quiet'],
  late: ['late', 'late_copies'],
};

export const FAMILIES = Object.keys(TABLES) as Family[];

export function registersOf(family: Family, id: number): Register[] {
  return TABLES[family].map((table) => `${table}/${id}`);
}

/** Versions reach `totals` by a trigger, `children` by a foreign key, `readings` through partitions. */
export const SCHEMA: readonly string[] = [
  'CREATE TABLE items (id int PRIMARY KEY, version int NOT NULL)',
  'CREATE TABLE totals (item_id int PRIMARY KEY, version int NOT NULL)',
  'CREATE VIEW item_view AS SELECT id, version FROM items',
  `CREATE FUNCTION item_version(wanted int) RETURNS int LANGUAGE sql STABLE
    AS 'SELECT version FROM items WHERE id = wanted'`,
  `CREATE FUNCTION set_item(wanted int, new_version int) RETURNS void LANGUAGE plpgsql AS
    $$ BEGIN UPDATE items SET version = new_version WHERE id = wanted; END $$`,
  `CREATE FUNCTION copy_item() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN UPDATE totals SET version = NEW.version WHERE item_id = NEW.id; RETURN NULL; END $$`,
  'CREATE TRIGGER copies AFTER INSERT OR UPDATE ON items FOR EACH ROW EXECUTE FUNCTION copy_item()',
  'CREATE TABLE parents (id int PRIMARY KEY, version int NOT NULL, UNIQUE (id, version))',
  `CREATE TABLE children (id int PRIMARY KEY, parent_id int NOT NULL, parent_version int NOT NULL,
    FOREIGN KEY (parent_id, parent_version) REFERENCES parents (id, version)
    ON UPDATE CASCADE ON DELETE CASCADE)`,
  'CREATE INDEX ON children (parent_id)',
  `CREATE TABLE readings (id int, half int, version int NOT NULL, PRIMARY KEY (id, half))
    PARTITION BY LIST (half)`,
  'CREATE TABLE readings_0 PARTITION OF readings FOR VALUES IN (0)',
  'CREATE TABLE readings_1 PARTITION OF readings FOR VALUES IN (1)',
  'CREATE TABLE notes (id int PRIMARY KEY, version int NOT NULL)',
  'CREATE TABLE tags (id int PRIMARY KEY)',
  'CREATE TABLE item_tags (item_id int, tag_id int, PRIMARY KEY (item_id, tag_id))',
  'CREATE TABLE quiet (id int PRIMARY KEY, version int NOT NULL)',
  'CREATE TABLE late (id int PRIMARY KEY, version int NOT NULL)',
  'CREATE TABLE late_copies (id int PRIMARY KEY, version int NOT NULL)',
  `CREATE FUNCTION copy_late() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN UPDATE late_copies SET version = NEW.version WHERE id = NEW.id; RETURN NULL; END $$`,
  'CREATE TABLE bulk (filler text)',
];

/** Every row, at version 0. */
export function rowsFor(ids: readonly number[]): string[] {
  const each = `unnest(ARRAY[${ids.join(',')}]) AS id`;
  return [
    `INSERT INTO totals SELECT id, 0 FROM ${each}`,
    `INSERT INTO items SELECT id, 0 FROM ${each}`,
    `INSERT INTO parents SELECT id, 0 FROM ${each}`,
    `INSERT INTO children SELECT id, id, 0 FROM ${each}`,
    `INSERT INTO readings SELECT id, id % 2, 0 FROM ${each}`,
    `INSERT INTO notes SELECT id, 0 FROM ${each}`,
    `INSERT INTO item_tags SELECT id, 0 FROM ${each}`,
    `INSERT INTO quiet SELECT id, 0 FROM ${each}`,
    `INSERT INTO late SELECT id, 0 FROM ${each}`,
    `INSERT INTO late_copies SELECT id, 0 FROM ${each}`,
  ];
}

/** Reads every register: its name, the lowest version and how many rows it has. */
export const FINAL_STATE = [
  `SELECT 'items/' || id AS register, version, 1 AS rows FROM items`,
  `SELECT 'totals/' || item_id, version, 1 FROM totals`,
  `SELECT 'parents/' || id, version, 1 FROM parents`,
  `SELECT 'children/' || parent_id, parent_version, 1 FROM children`,
  `SELECT 'readings/' || id, version, 1 FROM readings`,
  `SELECT 'notes/' || id, version, 1 FROM notes`,
  `SELECT 'tags/' || item_id, min(tag_id), count(*)::int FROM item_tags GROUP BY item_id`,
  `SELECT 'quiet/' || id, version, 1 FROM quiet`,
  `SELECT 'late/' || id, version, 1 FROM late`,
  `SELECT 'late_copies/' || id, version, 1 FROM late_copies`,
].join('\nUNION ALL ');
