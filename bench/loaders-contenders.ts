import { EXPECTED_OPTIONS_KEY, createContext } from 'dataloader-sequelize';
import { Op } from 'sequelize';
import type { FreshReads } from '../src';
import { belongsToMany, byKey, countOf, createLoaders, hasMany } from '../src/dataloader';
import { CHILDREN, GROUPS_EACH, PARENTS, type Models } from './loaders-models';

/** One way to answer one question, and how many rows (or counted rows) it must find. */
export interface Contender {
  readonly name: string;
  readonly expected: number;
  readonly run: () => Promise<number>;
}

const FEW = 200;
const MANY = 2_000;
const LIMIT = 5;
const ORDER: [string, string][] = [['id', 'DESC']];
const EACH = CHILDREN / PARENTS;

const ids = (count: number) =>
  Array.from({ length: count }, (_, index) => ((index * 23) % PARENTS) + 1);

/** The getters that Sequelize puts on users. */
interface Getters {
  getPosts(options: object): Promise<unknown[]>;
  getGroups(options: object): Promise<unknown[]>;
  countPosts(options: object): Promise<number>;
}

export function contenders(reads: FreshReads, ours: Models, theirs: Models): Contender[] {
  const loaders = createLoaders(reads, {
    user: byKey(ours.User),
    posts: hasMany(ours.posts),
    firstPosts: hasMany(ours.posts, { limit: LIMIT, order: ORDER }),
    postCount: countOf(ours.posts),
    groups: belongsToMany(ours.groups),
  });
  const few = ids(FEW);
  const many = ids(MANY);
  const users = few.map(
    (id) => theirs.User.build({ id }, { isNewRecord: false }) as unknown as Getters,
  );
  const inOperation = (fn: () => Promise<unknown[]>) =>
    reads.runOperation({}, async () => size(await fn()));
  const inContext = (fn: (options: object) => Promise<unknown>[]) => async () => {
    const context = createContext(theirs.sequelize);
    return size(await Promise.all(fn({ [EXPECTED_OPTIONS_KEY]: context })));
  };
  const all = <Value>(keys: readonly number[], loader: { load(id: number): Promise<Value> }) =>
    inOperation(() => Promise.all(keys.map((id) => loader.load(id))));

  return [
    { name: 'primary key: floor', expected: FEW, run: () => floorByKey(theirs, few) },
    {
      name: 'primary key: dataloader-sequelize',
      expected: FEW,
      run: inContext((options) => few.map((id) => theirs.User.findByPk(id, options))),
    },
    { name: 'primary key: loader', expected: FEW, run: () => all(few, loaders.user) },
    { name: 'hasMany: floor', expected: FEW * EACH, run: () => floorHasMany(theirs, few) },
    {
      name: 'hasMany: dataloader-sequelize',
      expected: FEW * EACH,
      run: inContext((options) => users.map((user) => user.getPosts({ ...options }))),
    },
    { name: 'hasMany: loader', expected: FEW * EACH, run: () => all(few, loaders.posts) },
    {
      name: 'hasMany, limit 5: dataloader-sequelize',
      expected: FEW * LIMIT,
      run: inContext((options) =>
        users.map((user) => user.getPosts({ ...options, limit: LIMIT, order: ORDER })),
      ),
    },
    {
      name: 'hasMany, limit 5: loader',
      expected: FEW * LIMIT,
      run: () => all(few, loaders.firstPosts),
    },
    {
      name: 'hasMany, limit 5, 2,000 parents: loader',
      expected: MANY * LIMIT,
      run: () => all(many, loaders.firstPosts),
    },
    {
      name: 'count: dataloader-sequelize',
      expected: FEW * EACH,
      run: inContext((options) => users.map((user) => user.countPosts({ ...options }))),
    },
    { name: 'count: loader', expected: FEW * EACH, run: () => all(few, loaders.postCount) },
    {
      name: 'belongsToMany: floor',
      expected: FEW * GROUPS_EACH,
      run: () => floorBelongsToMany(theirs, few),
    },
    {
      name: 'belongsToMany: dataloader-sequelize',
      expected: FEW * GROUPS_EACH,
      run: inContext((options) => users.map((user) => user.getGroups({ ...options }))),
    },
    {
      name: 'belongsToMany: loader',
      expected: FEW * GROUPS_EACH,
      run: () => all(few, loaders.groups),
    },
  ];
}

/** Rows in lists, counted numbers, or found rows. */
function size(values: readonly unknown[]): number {
  let total = 0;
  for (const value of values) {
    if (Array.isArray(value)) total += value.length;
    else if (typeof value === 'number') total += value;
    else if (value !== null) total += 1;
  }
  return total;
}

async function floorByKey({ User }: Models, keys: readonly number[]): Promise<number> {
  const rows = await User.findAll({ where: { id: { [Op.in]: [...keys] } } });
  const byId = new Map(rows.map((row) => [row.get('id'), row]));
  return size(keys.map((id) => byId.get(id) ?? null));
}

async function floorHasMany({ Post }: Models, keys: readonly number[]): Promise<number> {
  const rows = await Post.findAll({ where: { userId: { [Op.in]: [...keys] } } });
  return size(grouped(keys, rows, (row) => row.get('userId')));
}

async function floorBelongsToMany(
  { Group, groups }: Models,
  keys: readonly number[],
): Promise<number> {
  const { oneFromTarget } = groups as unknown as { oneFromTarget: { as: string } };
  const rows = await Group.findAll({
    include: [
      {
        association: oneFromTarget as never,
        required: true,
        where: { userId: { [Op.in]: [...keys] } },
      },
    ],
  });
  return size(
    grouped(keys, rows, (row) => (row.get(oneFromTarget.as) as typeof row).get('userId')),
  );
}

function grouped<Row>(
  keys: readonly number[],
  rows: readonly Row[],
  keyOf: (row: Row) => unknown,
): Row[][] {
  const groups = new Map<unknown, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return keys.map((key) => groups.get(key) ?? []);
}
