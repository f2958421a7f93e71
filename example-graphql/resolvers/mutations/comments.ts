import type { AppContext } from '../../context';
import { notifyAuthor } from '../../neighbourhood';
import { actingUser, findComment, findPost } from '../find';

interface AddComment {
  readonly input: {
    readonly postId: string;
    readonly body: string;
    readonly authorId?: string | null;
  };
}

export const commentMutations = {
  async addComment(_: unknown, { input }: AddComment, context: AppContext) {
    const { models } = context;
    const post = await findPost(context, input.postId);
    const author = await actingUser(context, input.authorId, 'authorId');
    const comment = await models.Comment.create({
      body: input.body,
      postId: post.id,
      authorId: author.id,
    });
    await notifyAuthor(models, post, author.id, 'COMMENT');
    return comment;
  },

  async deleteComment(_: unknown, { id }: { readonly id: string }, context: AppContext) {
    const comment = await findComment(context, id);
    await comment.destroy();
    return { id: comment.id, post: await context.loaders.postOfComment.load(comment) };
  },
};
