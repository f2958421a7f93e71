import type { CreationAttributes, Sequelize, Transaction } from 'sequelize';
import type { Models, Post, User } from './models';
import { bodyOf, nameOf, questionOf, replyOf } from './seed-texts';

/** How many rows the seed has. */
export interface SeedSize {
  readonly users: number;
  readonly posts: number;
  readonly comments: number;
}

export const SEED_SIZE: SeedSize = { users: 40, posts: 300, comments: 900 };

type Progress = (table: string, done: number, of: number) => void;

const CHUNK = 150;

/**
 * Makes the tables that are missing, and fills them if all are empty: in one transaction, so that a
 * seed broken off leaves nothing behind. Nothing that exists is changed. Always the same rows.
 * @returns whether it has filled them
 */
export async function prepareTables(
  sequelize: Sequelize,
  models: Models,
  size: SeedSize,
  progress: Progress,
): Promise<boolean> {
  await sequelize.sync();
  return sequelize.transaction(async (transaction) => {
    if (!(await isEmpty(models, transaction))) return false;
    await fill(models, size, progress, transaction);
    return true;
  });
}

async function isEmpty({ User, Post, Comment }: Models, transaction: Transaction) {
  const counts = [
    await User.count({ transaction }),
    await Post.count({ transaction }),
    await Comment.count({ transaction }),
  ];
  return counts.every((count) => count === 0);
}

async function fill(
  { User, Post, Comment }: Models,
  size: SeedSize,
  progress: Progress,
  transaction: Transaction,
): Promise<void> {
  const users = await inChunks('users', size.users, progress, (from, to) =>
    User.bulkCreate(rows(from, to, userAt), { transaction }),
  );
  const posts = await inChunks('posts', size.posts, progress, (from, to) =>
    Post.bulkCreate(
      rows(from, to, (index): CreationAttributes<Post> => ({
        title: questionOf(index),
        body: bodyOf(index),
        status: index % 10 === 9 ? 'DRAFT' : 'PUBLISHED',
        authorId: pick(users, index * 7).id,
      })),
      { transaction },
    ),
  );
  const published = posts.filter((post) => post.status === 'PUBLISHED');
  await inChunks('comments', size.comments, progress, (from, to) =>
    Comment.bulkCreate(
      rows(from, to, (index) => ({
        body: replyOf(index),
        postId: pick(published, index * 11).id,
        authorId: pick(users, index * 3 + 1).id,
      })),
      { transaction },
    ),
  );
}

function userAt(index: number): CreationAttributes<User> {
  const name = nameOf(index);
  const handle = name.toLowerCase().replace(' ', '_');
  return { handle, name, bio: `Lives in house number ${index + 1}.` };
}

async function inChunks<Row>(
  table: string,
  size: number,
  progress: Progress,
  create: (from: number, to: number) => Promise<Row[]>,
): Promise<Row[]> {
  const made: Row[] = [];
  while (made.length < size) {
    made.push(...(await create(made.length, Math.min(made.length + CHUNK, size))));
    progress(table, made.length, size);
  }
  return made;
}

function rows<Row>(from: number, to: number, make: (index: number) => Row): Row[] {
  return Array.from({ length: to - from }, (_, offset) => make(from + offset));
}

function pick<Row>(from: readonly Row[], index: number): Row {
  const row = from[index % from.length];
  if (row === undefined) throw new Error('the seed needs at least one user and one published post');
  return row;
}
