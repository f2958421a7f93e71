import type { AppContext } from '../context';
import { badInput, notFound } from '../errors';
import type { Comment, Neighbourhood, Post, User } from '../models';
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

export async function findNeighbourhood(
  { models }: AppContext,
  slug: string,
): Promise<Neighbourhood> {
  const neighbourhood = await models.Neighbourhood.findOne({ where: { slug } });
  if (!neighbourhood) throw badInput(`there is no neighbourhood ${JSON.stringify(slug)}`);
  return neighbourhood;
}

/** The user that an argument names, else the current one. */
export async function actingUser(
  context: AppContext,
  id: string | null | undefined,
  argument = 'userId',
): Promise<User> {
  if (id !== null && id !== undefined) return findUser(context, id);
  return signedIn(context, `give ${argument}, or `);
}

/** The current user, where there has to be one. */
export function signedIn({ currentUser }: AppContext, orElse = ''): User {
  if (currentUser) return currentUser;
  throw badInput(`say who you are: ${orElse}send the header x-user-handle with a known handle`);
}
