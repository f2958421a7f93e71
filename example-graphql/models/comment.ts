import {
  DataTypes,
  Model,
  type Association,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
} from 'sequelize';
import type { Post } from './post';
import type { User } from './user';

/** What a neighbour says to a post. */
export class Comment extends Model<InferAttributes<Comment>, InferCreationAttributes<Comment>> {
  declare id: CreationOptional<number>;
  declare body: string;
  declare postId: number;
  declare authorId: number;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;

  declare static associations: {
    post: Association<Comment, Post>;
    author: Association<Comment, User>;
  };
}

/** The model on one connection. */
export function defineComment(sequelize: Sequelize): typeof Comment {
  return class extends Comment {}.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      body: {
        type: DataTypes.TEXT,
        allowNull: false,
        validate: { notEmpty: { msg: 'the comment must not be empty' } },
      },
      postId: { type: DataTypes.INTEGER, allowNull: false },
      authorId: { type: DataTypes.INTEGER, allowNull: false },
      createdAt: DataTypes.DATE,
      updatedAt: DataTypes.DATE,
    },
    {
      sequelize,
      modelName: 'Comment',
      tableName: 'comments',
      underscored: true,
      indexes: [{ fields: ['post_id'] }, { fields: ['author_id'] }],
    },
  );
}
