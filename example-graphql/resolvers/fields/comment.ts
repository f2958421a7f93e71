import type { AppContext } from '../../context';
import type { Comment } from '../../models';

export const CommentFields = {
  createdAt: (comment: Comment) => comment.createdAt.toISOString(),
  author: (comment: Comment, _: unknown, { loaders }: AppContext) =>
    loaders.authorOfComment.load(comment),
  post: (comment: Comment, _: unknown, { loaders }: AppContext) =>
    loaders.postOfComment.load(comment),
};
