import type { AppContext } from '../context';
import type { Comment, Post, User } from '../models';

export const UserFields = {
  posts: (user: User, _: unknown, { loaders }: AppContext) => loaders.postsOfUser.load(user),
  comments: (user: User, _: unknown, { loaders }: AppContext) => loaders.commentsOfUser.load(user),
};

export const PostFields = {
  createdAt: (post: Post) => post.createdAt.toISOString(),
  author: (post: Post, _: unknown, { loaders }: AppContext) => loaders.authorOfPost.load(post),
  comments: (post: Post, _: unknown, { loaders }: AppContext) => loaders.commentsOfPost.load(post),
  async commentCount(post: Post, _: unknown, { loaders }: AppContext) {
    return (await loaders.commentsOfPost.load(post)).length;
  },
};

export const CommentFields = {
  createdAt: (comment: Comment) => comment.createdAt.toISOString(),
  author: (comment: Comment, _: unknown, { loaders }: AppContext) =>
    loaders.authorOfComment.load(comment),
  post: (comment: Comment, _: unknown, { loaders }: AppContext) =>
    loaders.postOfComment.load(comment),
};
