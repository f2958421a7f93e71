import type { AppContext } from '../context';
import { badInput, notFound } from '../errors';
import type { Comment, Post, User } from '../models';
import { toId } from './arguments';

/** The row that a mutation is about; it throws where a query would answer `null`. */
export async function findUser({ models }: AppContext, id: string): Promise<User> {
  const key = toId(id);
  const user = await models.User.findByPk(key);
  if (!user) throw notFound('user', key);
  return user;
}

export async function findPost({ models }: AppContext, id: string): Promise<Post> {
  const key = toId(id);
  const post = await models.Post.findByPk(key);
  if (!post) throw notFound('post', key);
  return post;
}

export async function findComment({ models }: AppContext, id: string): Promise<Comment> {
  const key = toId(id);
  const comment = await models.Comment.findByPk(key);
  if (!comment) throw notFound('comment', key);
  return comment;
}

/** The author that the input names, else the current user. */
export async function authorOf(context: AppContext, id: string | null | undefined): Promise<User> {
  if (id !== null && id !== undefined) return findUser(context, id);
  if (context.currentUser) return context.currentUser;
  throw badInput('say who writes: give authorId, or the header x-user-handle with a known handle');
}
