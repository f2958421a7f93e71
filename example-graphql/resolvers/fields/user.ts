import type { AppContext } from '../../context';
import type { User } from '../../models';
import { toFirst } from '../arguments';

interface FirstArgument {
  readonly first?: number | null;
}

export const UserFields = {
  lastSeenAt: (user: User) => user.lastSeenAt?.toISOString() ?? null,
  posts: (user: User, args: FirstArgument, { loaders }: AppContext) =>
    loaders.postsOfUser.with(toFirst(args)).load(user),
  comments: (user: User, args: FirstArgument, { loaders }: AppContext) =>
    loaders.commentsOfUser.with(toFirst(args)).load(user),
  neighbourhoods: (user: User, _: unknown, { loaders }: AppContext) =>
    loaders.neighbourhoodsOfUser.load(user),
};
