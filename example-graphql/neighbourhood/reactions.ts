import type { Models, Post, ReactionKind, User } from '../models';
import { notifyAuthor } from './notifications';

/** Leaves one reaction of the user on the post: this one. */
export async function reactTo(
  models: Models,
  post: Post,
  user: User,
  kind: ReactionKind,
): Promise<void> {
  const key = { postId: post.id, userId: user.id };
  const [reaction, created] = await models.Reaction.findOrCreate({
    where: key,
    defaults: { ...key, kind },
  });
  if (created) await notifyAuthor(models, post, user.id, 'REACTION');
  else await reaction.update({ kind });
}

/** Leaves none. */
export async function takeBackReaction(
  { Reaction }: Models,
  { id: postId }: Post,
  { id: userId }: User,
): Promise<void> {
  await Reaction.destroy({ where: { postId, userId } });
}
