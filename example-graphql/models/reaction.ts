import {
  DataTypes,
  Model,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
} from 'sequelize';

export const REACTION_KINDS = ['LIKE', 'THANKS', 'HELP'] as const;
export type ReactionKind = (typeof REACTION_KINDS)[number];

/** What a user thinks of a post: one of each user. */
export class Reaction extends Model<InferAttributes<Reaction>, InferCreationAttributes<Reaction>> {
  declare id: CreationOptional<number>;
  declare kind: ReactionKind;
  declare postId: number;
  declare userId: number;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
}

/** The model on one connection. */
export function defineReaction(sequelize: Sequelize): typeof Reaction {
  return class extends Reaction {}.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      kind: {
        type: DataTypes.STRING(10),
        allowNull: false,
        validate: { isIn: [[...REACTION_KINDS]] },
      },
      postId: { type: DataTypes.INTEGER, allowNull: false },
      userId: { type: DataTypes.INTEGER, allowNull: false },
      createdAt: DataTypes.DATE,
      updatedAt: DataTypes.DATE,
    },
    {
      sequelize,
      modelName: 'Reaction',
      tableName: 'reactions',
      underscored: true,
      indexes: [{ fields: ['post_id', 'user_id'], unique: true }, { fields: ['user_id'] }],
    },
  );
}
