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

export const NOTIFICATION_KINDS = ['COMMENT', 'REACTION'] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** Tells a user what somebody has done with a post of theirs. */
export class Notification extends Model<
  InferAttributes<Notification>,
  InferCreationAttributes<Notification>
> {
  declare id: CreationOptional<number>;
  declare kind: NotificationKind;
  /** Whom it tells. */
  declare userId: number;
  /** Who did it. */
  declare actorId: number;
  declare postId: number;
  /** Null: not read yet. */
  declare readAt: CreationOptional<Date | null>;
  declare createdAt: CreationOptional<Date>;

  declare static associations: {
    actor: Association<Notification, User>;
    post: Association<Notification, Post>;
  };
}

/** The model on one connection. */
export function defineNotification(sequelize: Sequelize): typeof Notification {
  return class extends Notification {}.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      kind: {
        type: DataTypes.STRING(10),
        allowNull: false,
        validate: { isIn: [[...NOTIFICATION_KINDS]] },
      },
      userId: { type: DataTypes.INTEGER, allowNull: false },
      actorId: { type: DataTypes.INTEGER, allowNull: false },
      postId: { type: DataTypes.INTEGER, allowNull: false },
      readAt: DataTypes.DATE,
      createdAt: DataTypes.DATE,
    },
    {
      sequelize,
      modelName: 'Notification',
      tableName: 'notifications',
      underscored: true,
      updatedAt: false,
      indexes: [{ fields: ['user_id', 'read_at'] }, { fields: ['post_id'] }],
    },
  );
}
