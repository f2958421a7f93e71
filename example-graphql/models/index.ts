export { defineModels, type Models } from './define';
export type { Comment } from './comment';
export { POST_STATUSES, type Post, type PostStatus } from './post';
export type { User } from './user';
