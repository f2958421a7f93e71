import type { AppContext } from '../../context';
import { foundNeighbourhood } from '../../neighbourhood';
import { actingUser, findNeighbourhood } from '../find';

interface Found {
  readonly input: { readonly slug: string; readonly name: string; readonly hostId?: string | null };
}

interface JoinOrLeave {
  readonly slug: string;
  readonly userId?: string | null;
}

export const neighbourhoodMutations = {
  async foundNeighbourhood(_: unknown, { input }: Found, context: AppContext) {
    const { slug, name, hostId } = input;
    const host = await actingUser(context, hostId, 'hostId');
    return foundNeighbourhood(context.sequelize, context.models, { slug, name, host });
  },

  async joinNeighbourhood(_: unknown, { slug, userId }: JoinOrLeave, context: AppContext) {
    const neighbourhood = await findNeighbourhood(context, slug);
    await neighbourhood.addMember(await actingUser(context, userId));
    return neighbourhood;
  },

  async leaveNeighbourhood(_: unknown, { slug, userId }: JoinOrLeave, context: AppContext) {
    const neighbourhood = await findNeighbourhood(context, slug);
    await neighbourhood.removeMember(await actingUser(context, userId));
    return neighbourhood;
  },
};
