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
import type { Notification } from './notification';
import type { Post } from './post';

/** A neighbour. */
export class User extends Model<InferAttributes<User>, InferCreationAttributes<User>> {
  declare id: CreationOptional<number>;
  /** Unique, in lower case: how neighbours call each other. */
  declare handle: string;
  declare name: string;
  declare bio: CreationOptional<string>;
  /** Null: never here since joining. */
  declare lastSeenAt: CreationOptional<Date | null>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;

  declare static associations: {
    posts: Association<User, Post>;
    comments: Association<User, Comment>;
    neighbourhoods: Association<User, Neighbourhood>;
    notifications: Association<User, Notification>;
  };
}

/** The model on one connection: a class of its own, so that several connections can live side by side. */
export function defineUser(sequelize: Sequelize): typeof User {
  return class extends User {}.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      handle: {
        type: DataTypes.STRING(30),
        allowNull: false,
        unique: true,
        validate: {
          is: {
            args: /^[a-z][a-z0-9_]{1,29}$/,
            msg: 'a handle is 2 to 30 lower-case letters, digits and underscores, a letter first',
          },
        },
      },
      name: {
        type: DataTypes.STRING(80),
        allowNull: false,
        validate: {
          notEmpty: { msg: 'the name must not be empty' },
          len: { args: [0, 80], msg: 'the name must be at most 80 characters long' },
        },
      },
      bio: { type: DataTypes.TEXT, allowNull: false, defaultValue: '' },
      lastSeenAt: DataTypes.DATE,
      createdAt: DataTypes.DATE,
      updatedAt: DataTypes.DATE,
    },
    { sequelize, modelName: 'User', tableName: 'users', underscored: true },
  );
}
