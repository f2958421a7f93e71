import { badInput } from '../errors';
import type { Comment, Models, Post } from '../models';
import { memberCalled } from './members';

/** The published post of that title, opened in the member's name if there is none. */
export async function openThread(
  models: Models,
  handle: string,
  title: string,
): Promise<{ post: Post; opened: boolean }> {
  const found = await threadCalled(models, title);
  if (found) return { post: found, opened: false };
  const { id } = await memberCalled(models, handle);
  const post = await models.Post.create({ title, authorId: id, status: 'PUBLISHED' });
  return { post, opened: true };
}

/** Asks in the thread of that title. */
export async function ask(
  models: Models,
  handle: string,
  title: string,
  question: string,
): Promise<Comment> {
  const thread = await threadCalled(models, title);
  if (!thread) throw badInput(`there is no thread called ${JSON.stringify(title)}`);
  const { id } = await memberCalled(models, handle);
  return models.Comment.create({ body: question, postId: thread.id, authorId: id });
}

function threadCalled({ Post }: Models, title: string): Promise<Post | null> {
  return Post.findOne({ where: { title, status: 'PUBLISHED' }, order: [['id', 'ASC']] });
}
