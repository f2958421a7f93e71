import type { AppContext } from '../../context';
import type { Notification } from '../../models';
import { toFirst } from '../arguments';

/** Whose inbox it is: its fields find the rest. */
export interface Inbox {
  readonly userId: number;
}

export const InboxFields = {
  unreadCount: ({ userId }: Inbox, _: unknown, { loaders }: AppContext) =>
    loaders.unreadCountOfUser.load(userId),
  notifications: (
    { userId }: Inbox,
    args: { readonly first?: number | null },
    { loaders }: AppContext,
  ) => loaders.notificationsOfUser.with(toFirst(args)).load(userId),
};

export const NotificationFields = {
  read: (notification: Notification) => notification.readAt !== null,
  actor: (notification: Notification, _: unknown, { loaders }: AppContext) =>
    loaders.actor.load(notification),
  post: (notification: Notification, _: unknown, { loaders }: AppContext) =>
    loaders.postOfNotification.load(notification),
};
