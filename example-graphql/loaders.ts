import type { FreshReads } from 'sequelize-fresh-reads';
import { belongsTo, byKey, createLoaders, hasMany } from 'sequelize-fresh-reads/dataloader';
import type { Models } from './models';

/** One loader a relation, made once: each operation gets batches and a cache of its own. */
export function makeLoaders(reads: FreshReads, { User, Post, Comment }: Models) {
  return createLoaders(reads, {
    user: byKey(User),
    userByHandle: byKey(User, 'handle'),
    post: byKey(Post),
    comment: byKey(Comment),
    postsOfUser: hasMany(User.associations.posts, { order: [['id', 'ASC']] }),
    commentsOfUser: hasMany(User.associations.comments, { order: [['id', 'ASC']] }),
    commentsOfPost: hasMany(Post.associations.comments, { order: [['id', 'ASC']] }),
    authorOfPost: belongsTo(Post.associations.author),
    authorOfComment: belongsTo(Comment.associations.author),
    postOfComment: belongsTo(Comment.associations.post),
  });
}

export type AppLoaders = ReturnType<typeof makeLoaders>;
