import type { Models, NotificationKind, Post } from '../models';

/** Tells the author of a post what somebody else has done with it. */
export async function notifyAuthor(
  { Notification }: Models,
  post: Post,
  actorId: number,
  kind: NotificationKind,
): Promise<void> {
  if (post.authorId === actorId) return;
  await Notification.create({ userId: post.authorId, actorId, postId: post.id, kind });
}

/** Marks every notification of a user as read. */
export async function markAllRead({ Notification }: Models, userId: number): Promise<void> {
  await Notification.update({ readAt: new Date() }, { where: { userId, readAt: null } });
}
