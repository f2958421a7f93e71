import type { AppContext } from '../../context';
import type { PostStatus } from '../../models';
import { assertMember } from '../../neighbourhood';
import { given, toId } from '../arguments';
import { actingUser, findPost } from '../find';

interface CreatePost {
  readonly input: {
    readonly title: string;
    readonly body?: string | null;
    readonly status?: PostStatus | null;
    readonly authorId?: string | null;
    readonly neighbourhoodId?: string | null;
  };
}

interface Id {
  readonly id: string;
}

interface UpdatePost extends Id {
  readonly input: { readonly title?: string | null; readonly body?: string | null };
}

export const postMutations = {
  async createPost(_: unknown, { input }: CreatePost, context: AppContext) {
    const { title, authorId, neighbourhoodId: place, ...rest } = input;
    const author = await actingUser(context, authorId, 'authorId');
    const neighbourhoodId = place ? toId(place) : null;
    if (neighbourhoodId !== null) await assertMember(context.models, author, neighbourhoodId);
    return context.models.Post.create({
      title,
      authorId: author.id,
      neighbourhoodId,
      ...given(rest),
    });
  },

  async updatePost(_: unknown, { id, input }: UpdatePost, context: AppContext) {
    const post = await findPost(context, id);
    return post.update(given(input));
  },

  async publishPost(_: unknown, { id }: Id, context: AppContext) {
    const post = await findPost(context, id);
    return post.update({ status: 'PUBLISHED' });
  },

  async deletePost(_: unknown, { id }: Id, context: AppContext) {
    const post = await findPost(context, id);
    await post.destroy();
    return { id: post.id, author: await context.loaders.authorOfPost.load(post) };
  },
};
