import type { Models } from '../models';
import { memberCalled } from './members';

/** How much a member has written. */
export async function activityOf(
  models: Models,
  handle: string,
): Promise<{ posts: number; comments: number }> {
  const { id } = await memberCalled(models, handle);
  const [posts, comments] = await Promise.all([
    models.Post.count({ where: { authorId: id } }),
    models.Comment.count({ where: { authorId: id } }),
  ]);
  return { posts, comments };
}
