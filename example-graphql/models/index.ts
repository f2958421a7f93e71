export { defineModels, type Models } from './define';
export type { Comment } from './comment';
export type { Membership, Role } from './membership';
export type { Neighbourhood } from './neighbourhood';
export { NOTIFICATION_KINDS, type Notification, type NotificationKind } from './notification';
export { POST_STATUSES, type Post, type PostStatus } from './post';
export { REACTION_KINDS, type Reaction, type ReactionKind } from './reaction';
export type { User } from './user';
