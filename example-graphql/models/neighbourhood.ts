import {
  DataTypes,
  Model,
  type Association,
  type BelongsToManyAddAssociationMixin,
  type BelongsToManyRemoveAssociationMixin,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
} from 'sequelize';
import type { Post } from './post';
import type { User } from './user';

/** A few streets whose people have joined. */
export class Neighbourhood extends Model<
  InferAttributes<Neighbourhood>,
  InferCreationAttributes<Neighbourhood>
> {
  declare id: CreationOptional<number>;
  /** Unique, in lower case: its place in an address. */
  declare slug: string;
  declare name: string;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;

  declare addMember: BelongsToManyAddAssociationMixin<User, number>;
  declare removeMember: BelongsToManyRemoveAssociationMixin<User, number>;

  declare static associations: {
    members: Association<Neighbourhood, User>;
    posts: Association<Neighbourhood, Post>;
  };
}

/** The model on one connection. */
export function defineNeighbourhood(sequelize: Sequelize): typeof Neighbourhood {
  return class extends Neighbourhood {}.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      slug: {
        type: DataTypes.STRING(40),
        allowNull: false,
        unique: true,
        validate: {
          is: {
            args: /^[a-z][a-z0-9-]{1,39}$/,
            msg: 'a slug is 2 to 40 lower-case letters, digits and dashes, a letter first',
          },
        },
      },
      name: {
        type: DataTypes.STRING(80),
        allowNull: false,
        validate: { notEmpty: { msg: 'the name must not be empty' } },
      },
      createdAt: DataTypes.DATE,
      updatedAt: DataTypes.DATE,
    },
    { sequelize, modelName: 'Neighbourhood', tableName: 'neighbourhoods', underscored: true },
  );
}
