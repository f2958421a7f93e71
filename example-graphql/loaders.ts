import type { FreshReads } from 'sequelize-fresh-reads';
import {
  belongsTo,
  belongsToMany,
  byKey,
  countOf,
  createLoaders,
  hasMany,
} from 'sequelize-fresh-reads/dataloader';
import type { Models } from './models';

/** How many rows of each parent: undefined for all of them. */
export interface First {
  readonly first: number | undefined;
}

const oldestFirst = { order: [['id', 'ASC']] as [string, string][] };
const newestFirst = { order: [['id', 'DESC']] as [string, string][] };
const limit = ({ first }: First) => first;

/** One loader a relation, made once: each operation gets batches and a cache of its own. */
export function makeLoaders(reads: FreshReads, models: Models) {
  const { User, Neighbourhood, Post, Comment, Reaction, Notification } = models;
  return createLoaders(reads, {
    user: byKey(User),
    userByHandle: byKey(User, 'handle'),
    postsOfUser: hasMany(User.associations.posts, { ...oldestFirst, limit }),
    commentsOfUser: hasMany(User.associations.comments, { ...oldestFirst, limit }),
    neighbourhoodsOfUser: belongsToMany(User.associations.neighbourhoods, oldestFirst),
    notificationsOfUser: hasMany(User.associations.notifications, { ...newestFirst, limit }),
    unreadCountOfUser: countOf(User.associations.notifications, { where: { readAt: null } }),

    neighbourhood: byKey(Neighbourhood),
    neighbourhoodBySlug: byKey(Neighbourhood, 'slug'),
    membersOf: belongsToMany(Neighbourhood.associations.members, { ...oldestFirst, limit }),
    memberCount: countOf(Neighbourhood.associations.members),
    postsIn: hasMany(Neighbourhood.associations.posts, {
      ...newestFirst,
      limit,
      where: { status: 'PUBLISHED' },
    }),

    post: byKey(Post),
    authorOfPost: belongsTo(Post.associations.author),
    neighbourhoodOfPost: belongsTo(Post.associations.neighbourhood),
    commentsOfPost: hasMany(Post.associations.comments, { ...oldestFirst, limit }),
    commentCount: countOf(Post.associations.comments),
    reactionCount: countOf(Post.associations.reactions),
    reactionBy: byKey(Reaction, ['postId', 'userId']),

    comment: byKey(Comment),
    authorOfComment: belongsTo(Comment.associations.author),
    postOfComment: belongsTo(Comment.associations.post),

    actor: belongsTo(Notification.associations.actor),
    postOfNotification: belongsTo(Notification.associations.post),
  });
}

export type AppLoaders = ReturnType<typeof makeLoaders>;
