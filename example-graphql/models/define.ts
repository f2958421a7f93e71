import type { Sequelize } from 'sequelize';
import { defineComment, type Comment } from './comment';
import { definePost, type Post } from './post';
import { defineUser, type User } from './user';

export interface Models {
  readonly User: typeof User;
  readonly Post: typeof Post;
  readonly Comment: typeof Comment;
}

/** Defines the models and what ties them together. The foreign keys cascade in the database. */
export function defineModels(sequelize: Sequelize): Models {
  const User = defineUser(sequelize);
  const Post = definePost(sequelize);
  const Comment = defineComment(sequelize);

  User.hasMany(Post, { as: 'posts', foreignKey: 'authorId', onDelete: 'CASCADE' });
  Post.belongsTo(User, { as: 'author', foreignKey: 'authorId' });
  Post.hasMany(Comment, { as: 'comments', foreignKey: 'postId', onDelete: 'CASCADE' });
  Comment.belongsTo(Post, { as: 'post', foreignKey: 'postId' });
  User.hasMany(Comment, { as: 'comments', foreignKey: 'authorId', onDelete: 'CASCADE' });
  Comment.belongsTo(User, { as: 'author', foreignKey: 'authorId' });

  return { User, Post, Comment };
}
