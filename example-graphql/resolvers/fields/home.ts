import type { AppContext } from '../../context';
import { feedOf } from '../../neighbourhood';
import { toId, toPage } from '../arguments';
import type { Inbox } from './inbox';

/** Whose start page it is. */
export interface Home {
  readonly userId: number;
}

interface FeedArguments {
  readonly first: number;
  readonly after?: string | null;
}

export const HomeFields = {
  user: ({ userId }: Home, _: unknown, { loaders }: AppContext) => loaders.user.load(userId),
  inbox: ({ userId }: Home): Inbox => ({ userId }),
  feed({ userId }: Home, { first, after }: FeedArguments, { models }: AppContext) {
    const { limit } = toPage({ limit: first, offset: 0 });
    return feedOf(models, userId, limit, after ? toId(after) : undefined);
  },
};
