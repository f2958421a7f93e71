import type { AppContext } from '../context';
import type { PostStatus } from '../models';
import { ask, findOrJoin, openThread, activityOf } from '../neighbourhood';
import { given } from './arguments';
import { authorOf, findComment, findPost, findUser } from './find';

interface CreateUserInput {
  readonly handle: string;
  readonly name: string;
  readonly bio?: string | null;
}

interface CreatePostInput {
  readonly title: string;
  readonly body?: string | null;
  readonly status?: PostStatus | null;
  readonly authorId?: string | null;
}

interface AddCommentInput {
  readonly postId: string;
  readonly body: string;
  readonly authorId?: string | null;
}

interface AskInput {
  readonly handle: string;
  readonly name: string;
  readonly title: string;
  readonly question: string;
}

interface UserChange {
  readonly name?: string | null;
  readonly bio?: string | null;
}

interface PostChange {
  readonly title?: string | null;
  readonly body?: string | null;
}

interface Id {
  readonly id: string;
}

interface Input<T> {
  readonly input: T;
}

export const Mutation = {
  createUser(_: unknown, { input }: Input<CreateUserInput>, { models }: AppContext) {
    const { handle, name, ...rest } = input;
    return models.User.create({ handle, name, ...given(rest) });
  },

  async updateUser(_: unknown, { id, input }: Id & Input<UserChange>, context: AppContext) {
    const user = await findUser(context, id);
    return user.update(given(input));
  },

  async createPost(_: unknown, { input }: Input<CreatePostInput>, context: AppContext) {
    const { title, authorId, ...rest } = input;
    const author = await authorOf(context, authorId);
    return context.models.Post.create({ title, authorId: author.id, ...given(rest) });
  },

  async updatePost(_: unknown, { id, input }: Id & Input<PostChange>, context: AppContext) {
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

  async addComment(_: unknown, { input }: Input<AddCommentInput>, context: AppContext) {
    const post = await findPost(context, input.postId);
    const author = await authorOf(context, input.authorId);
    return context.models.Comment.create({
      body: input.body,
      postId: post.id,
      authorId: author.id,
    });
  },

  async deleteComment(_: unknown, { id }: Id, context: AppContext) {
    const comment = await findComment(context, id);
    await comment.destroy();
    return { id: comment.id, post: await context.loaders.postOfComment.load(comment) };
  },

  /** Each step looks up for itself what it needs, also what a step before it has just written. */
  async askNeighbours(_: unknown, { input }: Input<AskInput>, { models }: AppContext) {
    const { handle, name, title, question } = input;
    const { user, joined } = await findOrJoin(models, handle, name);
    const { post, opened } = await openThread(models, handle, title);
    const comment = await ask(models, handle, title, question);
    return { joined, opened, user, post, comment, activity: await activityOf(models, handle) };
  },
};
