import type { AppContext } from '../../context';
import { markAllRead } from '../../neighbourhood';
import type { Inbox } from '../fields';
import { actingUser } from '../find';

export const notificationMutations = {
  async markNotificationsRead(
    _: unknown,
    { userId }: { readonly userId?: string | null },
    context: AppContext,
  ): Promise<Inbox> {
    const user = await actingUser(context, userId);
    await markAllRead(context.models, user.id);
    return { userId: user.id };
  },
};
