import type { AppContext } from '../../context';
import type { Post } from '../../models';
import { toFirst } from '../arguments';

export const PostFields = {
  createdAt: (post: Post) => post.createdAt.toISOString(),
  author: (post: Post, _: unknown, { loaders }: AppContext) => loaders.authorOfPost.load(post),
  neighbourhood: (post: Post, _: unknown, { loaders }: AppContext) =>
    loaders.neighbourhoodOfPost.load(post),
  comments: (post: Post, args: { readonly first?: number | null }, { loaders }: AppContext) =>
    loaders.commentsOfPost.with(toFirst(args)).load(post),
  commentCount: (post: Post, _: unknown, { loaders }: AppContext) =>
    loaders.commentCount.load(post),
  reactionCount: (post: Post, _: unknown, { loaders }: AppContext) =>
    loaders.reactionCount.load(post),
  async myReaction(post: Post, _: unknown, { loaders, currentUser }: AppContext) {
    if (!currentUser) return null;
    const mine = await loaders.reactionBy.load({ postId: post.id, userId: currentUser.id });
    return mine?.kind ?? null;
  },
};
