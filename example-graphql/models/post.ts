import {
  DataTypes,
  Model,
  type Association,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
} from 'sequelize';
import type { Comment } from './comment';
import type { Neighbourhood } from './neighbourhood';
import type { Reaction } from './reaction';
import type { User } from './user';

export const POST_STATUSES = ['DRAFT', 'PUBLISHED'] as const;
export type PostStatus = (typeof POST_STATUSES)[number];

/** Something to tell the neighbours. */
export class Post extends Model<InferAttributes<Post>, InferCreationAttributes<Post>> {
  declare id: CreationOptional<number>;
  declare title: string;
  declare body: CreationOptional<string>;
  declare status: CreationOptional<PostStatus>;
  declare authorId: number;
  /** Null: for everybody, in no neighbourhood of its own. */
  declare neighbourhoodId: CreationOptional<number | null>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;

  declare static associations: {
    author: Association<Post, User>;
    comments: Association<Post, Comment>;
    neighbourhood: Association<Post, Neighbourhood>;
    reactions: Association<Post, Reaction>;
  };
}

/** The model on one connection. */
export function definePost(sequelize: Sequelize): typeof Post {
  return class extends Post {}.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      title: {
        type: DataTypes.STRING(120),
        allowNull: false,
        validate: {
          notEmpty: { msg: 'the title must not be empty' },
          len: { args: [0, 120], msg: 'the title must be at most 120 characters long' },
        },
      },
      body: { type: DataTypes.TEXT, allowNull: false, defaultValue: '' },
      status: {
        type: DataTypes.STRING(10),
        allowNull: false,
        defaultValue: 'DRAFT',
        validate: { isIn: [[...POST_STATUSES]] },
      },
      authorId: { type: DataTypes.INTEGER, allowNull: false },
      neighbourhoodId: DataTypes.INTEGER,
      createdAt: DataTypes.DATE,
      updatedAt: DataTypes.DATE,
    },
    {
      sequelize,
      modelName: 'Post',
      tableName: 'posts',
      underscored: true,
      indexes: [
        { fields: ['author_id'] },
        { fields: ['neighbourhood_id'] },
        { fields: ['status'] },
        { fields: ['title'] },
      ],
    },
  );
}
