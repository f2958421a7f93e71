import { EXPECTED_OPTIONS_KEY, createContext } from 'dataloader-sequelize';
import { Op } from 'sequelize';
import type { FreshReads } from '../src';
import type * as source from '../src/dataloader';
import { CHILDREN, GROUPS_EACH, PARENTS, type Models } from './loaders-models';

/** One way to answer a question, and how many rows (or counted rows) it must find. */
export interface Contender {
  readonly name: string;
  readonly expected: number;
  readonly run: () => Promise<number>;
}

/** What is asked, and who answers: the first one is what the others are compared with. */
export interface Question {
  readonly name: string;
  /** Times that each one answers in a round: short ones more often. */
  readonly calls: number;
  readonly contenders: readonly Contender[];
}

export const FLOOR = 'findAll and a Map';
export const THEIRS = 'dataloader-sequelize';
export const OURS = 'loader';
export const MANY_PARENTS = 'loader, 2,000 parents';

const FEW = 200;
const MANY = 2_000;
const LIMIT = 5;
const ORDER: [string, string][] = [['id', 'DESC']];
const EACH = CHILDREN / PARENTS;

const ids = (count: number) =>
  Array.from({ length: count }, (_, index) => ((index * 23) % PARENTS) + 1);

/** The getters that Sequelize puts on users and their children. */
interface Getters {
  getUser(options: object): Promise<unknown>;
  getPosts(options: object): Promise<unknown[]>;
  getNotes(options: object): Promise<unknown[]>;
  getGroups(options: object): Promise<unknown[]>;
  countPosts(options: object): Promise<number>;
}

export function questions(
  { belongsTo, belongsToMany, byKey, countOf, createLoaders, hasMany }: typeof source,
  reads: FreshReads,
  ours: Models,
  theirs: Models,
): Question[] {
  const newest = { limit: LIMIT, order: ORDER };
  const loaders = createLoaders(reads, {
    user: byKey(ours.User),
    author: belongsTo(ours.author),
    posts: hasMany(ours.posts),
    newestPosts: hasMany(ours.posts, newest),
    newestNotes: hasMany(ours.notes, newest),
    postCount: countOf(ours.posts),
    groups: belongsToMany(ours.groups),
  });
  const few = ids(FEW);
  const many = ids(MANY);
  const stored = { isNewRecord: false };
  const users = few.map((id) => theirs.User.build({ id }, stored) as unknown as Getters);
  const children = ({ Post }: Models) =>
    few.map((userId) => Post.build({ id: userId, userId }, stored));
  const ourChildren = children(ours);
  const theirChildren = children(theirs);

  const by = (expected: number) => ({
    floor: (run: () => Promise<number>): Contender => ({ name: FLOOR, expected, run }),
    theirs: (fn: (options: object) => Promise<unknown>[]): Contender => ({
      name: THEIRS,
      expected,
      run: async () => {
        const context = createContext(theirs.sequelize);
        return size(await Promise.all(fn({ [EXPECTED_OPTIONS_KEY]: context })));
      },
    }),
    ours: (fn: () => Promise<unknown>[], name = OURS): Contender => ({
      name,
      expected,
      run: () => reads.runOperation({}, async () => size(await Promise.all(fn()))),
    }),
  });
  const one = by(FEW);
  const all = by(FEW * EACH);
  const limited = by(FEW * LIMIT);
  const linked = by(FEW * GROUPS_EACH);

  return [
    {
      name: 'by primary key',
      calls: 20,
      contenders: [
        one.floor(() => floorByKey(theirs, few)),
        one.theirs((options) => few.map((id) => theirs.User.findByPk(id, options))),
        one.ours(() => few.map((id) => loaders.user.load(id))),
      ],
    },
    {
      name: 'belongsTo',
      calls: 20,
      contenders: [
        one.floor(() =>
          floorByKey(
            theirs,
            theirChildren.map((child) => child.get('userId') as number),
          ),
        ),
        one.theirs((options) =>
          theirChildren.map((child) => (child as unknown as Getters).getUser({ ...options })),
        ),
        one.ours(() => ourChildren.map((child) => loaders.author.load(child))),
      ],
    },
    {
      name: 'hasMany',
      calls: 3,
      contenders: [
        all.floor(() => floorHasMany(theirs, few)),
        all.theirs((options) => users.map((user) => user.getPosts({ ...options }))),
        all.ours(() => few.map((id) => loaders.posts.load(id))),
      ],
    },
    {
      name: 'belongsToMany',
      calls: 5,
      contenders: [
        linked.floor(() => floorBelongsToMany(theirs, few)),
        linked.theirs((options) => users.map((user) => user.getGroups({ ...options }))),
        linked.ours(() => few.map((id) => loaders.groups.load(id))),
      ],
    },
    {
      name: 'hasMany, limit 5',
      calls: 3,
      contenders: [
        limited.theirs((options) => users.map((user) => user.getPosts({ ...options, ...newest }))),
        limited.ours(() => few.map((id) => loaders.newestPosts.load(id))),
        by(MANY * LIMIT).ours(() => many.map((id) => loaders.newestPosts.load(id)), MANY_PARENTS),
      ],
    },
    {
      name: 'hasMany, limit 5, index on the key alone',
      calls: 3,
      contenders: [
        limited.theirs((options) => users.map((user) => user.getNotes({ ...options, ...newest }))),
        limited.ours(() => few.map((id) => loaders.newestNotes.load(id))),
      ],
    },
    {
      name: 'count',
      calls: 5,
      contenders: [
        all.theirs((options) => users.map((user) => user.countPosts({ ...options }))),
        all.ours(() => few.map((id) => loaders.postCount.load(id))),
      ],
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
