import type { CreationAttributes, Transaction } from 'sequelize';
import {
  REACTION_KINDS,
  type Comment,
  type Membership,
  type Models,
  type Neighbourhood,
  type Notification,
  type Post,
  type Reaction,
  type User,
} from '../models';
import { inChunks, type Progress } from './in-chunks';
import type { SeedSize } from './size';
import { bodyOf, handleOf, nameOf, placeOf, questionOf, replyOf, slugOf } from './texts';

/** Fills empty tables. Who wrote what, and when, follows from a row's number alone. */
export async function fill(
  models: Models,
  size: SeedSize,
  progress: Progress,
  transaction: Transaction,
): Promise<void> {
  const options = { transaction };
  const users = await inChunks('users', size.users, progress, userAt, (rows) =>
    models.User.bulkCreate(rows, options),
  );
  const places = await inChunks(
    'neighbourhoods',
    size.neighbourhoods,
    progress,
    neighbourhoodAt,
    (rows) => models.Neighbourhood.bulkCreate(rows, options),
  );
  const memberships = membershipsOf(users, places);
  await inChunks('memberships', memberships.length, progress, at(memberships), (rows) =>
    models.Membership.bulkCreate(rows, options),
  );
  const posts = await inChunks('posts', size.posts, progress, postAt(memberships), (rows) =>
    models.Post.bulkCreate(rows, options),
  );
  const published = posts.filter(({ status }) => status === 'PUBLISHED');
  await inChunks('comments', size.comments, progress, commentAt(published, users), (rows) =>
    models.Comment.bulkCreate(rows, options),
  );
  await inChunks('reactions', size.reactions, progress, reactionAt(published, users), (rows) =>
    models.Reaction.bulkCreate(rows, options),
  );
  await inChunks(
    'notifications',
    size.notifications,
    progress,
    notificationAt(published, users),
    (rows) => models.Notification.bulkCreate(rows, options),
  );
}

const BEGINNING = Date.UTC(2025, 0, 1);
const MINUTE = 60_000;

function timesOf(index: number): { createdAt: Date; updatedAt: Date } {
  const time = new Date(BEGINNING + index * MINUTE);
  return { createdAt: time, updatedAt: time };
}

function userAt(index: number): CreationAttributes<User> {
  const bio = `Lives in house number ${index + 1}.`;
  return { handle: handleOf(index), name: nameOf(index), bio, ...timesOf(index) };
}

function neighbourhoodAt(index: number): CreationAttributes<Neighbourhood> {
  return { slug: slugOf(index), name: placeOf(index), ...timesOf(index) };
}

/** Everybody is in one neighbourhood, and every third in the next one as well. */
function membershipsOf(
  users: readonly User[],
  places: readonly Neighbourhood[],
): CreationAttributes<Membership>[] {
  return users.flatMap(({ id: userId }, index) => {
    const joined = index % 3 === 0 ? [index, index + 1] : [index];
    const ids = new Set(joined.map((place) => pick(places, place).id));
    return [...ids].map((neighbourhoodId) => ({
      userId,
      neighbourhoodId,
      role: index < places.length ? ('HOST' as const) : ('MEMBER' as const),
      createdAt: timesOf(index).createdAt,
    }));
  });
}

/** In a neighbourhood of its author; every tenth is a draft. */
function postAt(memberships: readonly CreationAttributes<Membership>[]) {
  return (index: number): CreationAttributes<Post> => {
    const { userId: authorId, neighbourhoodId } = pick(memberships, index * 7);
    const status = index % 10 === 9 ? 'DRAFT' : 'PUBLISHED';
    const title = questionOf(index);
    return { title, body: bodyOf(index), status, authorId, neighbourhoodId, ...timesOf(index) };
  };
}

function commentAt(posts: readonly Post[], users: readonly User[]) {
  return (index: number): CreationAttributes<Comment> => ({
    body: replyOf(index),
    postId: pick(posts, index * 11).id,
    authorId: pick(users, index * 3 + 1).id,
    ...timesOf(index),
  });
}

/** Post by post, and the next user each time round, so that nobody reacts twice to the same. */
function reactionAt(posts: readonly Post[], users: readonly User[]) {
  return (index: number): CreationAttributes<Reaction> => {
    const place = index % posts.length;
    const round = Math.floor(index / posts.length);
    return {
      kind: pick(REACTION_KINDS, index),
      postId: pick(posts, place).id,
      userId: pick(users, place + round).id,
      ...timesOf(index),
    };
  };
}

/** Half of them are read. */
function notificationAt(posts: readonly Post[], users: readonly User[]) {
  return (index: number): CreationAttributes<Notification> => {
    const post = pick(posts, index);
    const { createdAt } = timesOf(index);
    return {
      kind: index % 2 === 0 ? 'COMMENT' : 'REACTION',
      userId: post.authorId,
      actorId: pick(users, index * 3 + 1).id,
      postId: post.id,
      readAt: index % 4 < 2 ? createdAt : null,
      createdAt,
    };
  };
}

function at<Row>(rows: readonly Row[]): (index: number) => Row {
  return (index) => pick(rows, index);
}

function pick<Row>(from: readonly Row[], index: number): Row {
  const row = from[index % from.length];
  if (row === undefined) throw new Error('the seed needs a user, a neighbourhood and two posts');
  return row;
}
