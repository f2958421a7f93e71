import {
  DataTypes,
  Model,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
} from 'sequelize';

export const ROLES = ['MEMBER', 'HOST'] as const;
export type Role = (typeof ROLES)[number];

/** That a user belongs to a neighbourhood: the row between the two. */
export class Membership extends Model<
  InferAttributes<Membership>,
  InferCreationAttributes<Membership>
> {
  declare userId: number;
  declare neighbourhoodId: number;
  declare role: CreationOptional<Role>;
  declare createdAt: CreationOptional<Date>;
}

/** The model on one connection. */
export function defineMembership(sequelize: Sequelize): typeof Membership {
  return class extends Membership {}.init(
    {
      userId: { type: DataTypes.INTEGER, primaryKey: true },
      neighbourhoodId: { type: DataTypes.INTEGER, primaryKey: true },
      role: {
        type: DataTypes.STRING(10),
        allowNull: false,
        defaultValue: 'MEMBER',
        validate: { isIn: [[...ROLES]] },
      },
      createdAt: DataTypes.DATE,
    },
    {
      sequelize,
      modelName: 'Membership',
      tableName: 'memberships',
      underscored: true,
      updatedAt: false,
      indexes: [{ fields: ['neighbourhood_id'] }],
    },
  );
}
