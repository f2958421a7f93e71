import type { Sequelize } from 'sequelize';
import { defineComment, type Comment } from './comment';
import { defineMembership, type Membership } from './membership';
import { defineNeighbourhood, type Neighbourhood } from './neighbourhood';
import { defineNotification, type Notification } from './notification';
import { definePost, type Post } from './post';
import { defineReaction, type Reaction } from './reaction';
import { defineUser, type User } from './user';

export interface Models {
  readonly User: typeof User;
  readonly Neighbourhood: typeof Neighbourhood;
  readonly Membership: typeof Membership;
  readonly Post: typeof Post;
  readonly Comment: typeof Comment;
  readonly Reaction: typeof Reaction;
  readonly Notification: typeof Notification;
}

/** Defines the models and what ties them together. The foreign keys cascade in the database. */
export function defineModels(sequelize: Sequelize): Models {
  const models: Models = {
    User: defineUser(sequelize),
    Neighbourhood: defineNeighbourhood(sequelize),
    Membership: defineMembership(sequelize),
    Post: definePost(sequelize),
    Comment: defineComment(sequelize),
    Reaction: defineReaction(sequelize),
    Notification: defineNotification(sequelize),
  };
  tiePeople(models);
  tiePosts(models);
  return models;
}

const CASCADE = { onDelete: 'CASCADE' } as const;

function tiePeople({ User, Neighbourhood, Membership, Notification, Post }: Models): void {
  User.belongsToMany(Neighbourhood, {
    as: 'neighbourhoods',
    through: Membership,
    foreignKey: 'userId',
    otherKey: 'neighbourhoodId',
  });
  Neighbourhood.belongsToMany(User, {
    as: 'members',
    through: Membership,
    foreignKey: 'neighbourhoodId',
    otherKey: 'userId',
  });
  User.hasMany(Notification, { as: 'notifications', foreignKey: 'userId', ...CASCADE });
  Notification.belongsTo(User, { as: 'actor', foreignKey: 'actorId', ...CASCADE });
  Notification.belongsTo(Post, { as: 'post', foreignKey: 'postId', ...CASCADE });
}

function tiePosts({ User, Neighbourhood, Post, Comment, Reaction }: Models): void {
  User.hasMany(Post, { as: 'posts', foreignKey: 'authorId', ...CASCADE });
  Post.belongsTo(User, { as: 'author', foreignKey: 'authorId' });
  Neighbourhood.hasMany(Post, { as: 'posts', foreignKey: 'neighbourhoodId', ...CASCADE });
  Post.belongsTo(Neighbourhood, { as: 'neighbourhood', foreignKey: 'neighbourhoodId' });
  Post.hasMany(Comment, { as: 'comments', foreignKey: 'postId', ...CASCADE });
  Comment.belongsTo(Post, { as: 'post', foreignKey: 'postId' });
  User.hasMany(Comment, { as: 'comments', foreignKey: 'authorId', ...CASCADE });
  Comment.belongsTo(User, { as: 'author', foreignKey: 'authorId' });
  Post.hasMany(Reaction, { as: 'reactions', foreignKey: 'postId', ...CASCADE });
  User.hasMany(Reaction, { as: 'reactions', foreignKey: 'userId', ...CASCADE });
}
