import type { AppContext } from '../../context';
import type { Neighbourhood } from '../../models';
import { toFirst } from '../arguments';

interface FirstArgument {
  readonly first?: number | null;
}

export const NeighbourhoodFields = {
  memberCount: (neighbourhood: Neighbourhood, _: unknown, { loaders }: AppContext) =>
    loaders.memberCount.load(neighbourhood),
  members: (neighbourhood: Neighbourhood, args: FirstArgument, { loaders }: AppContext) =>
    loaders.membersOf.with(toFirst(args)).load(neighbourhood),
  posts: (neighbourhood: Neighbourhood, args: FirstArgument, { loaders }: AppContext) =>
    loaders.postsIn.with(toFirst(args)).load(neighbourhood),
};
