import type { AppContext } from '../../context';
import type { ReactionKind } from '../../models';
import { reactTo, takeBackReaction } from '../../neighbourhood';
import { actingUser, findPost } from '../find';

interface Unreact {
  readonly postId: string;
  readonly userId?: string | null;
}

interface React extends Unreact {
  readonly kind: ReactionKind;
}

export const reactionMutations = {
  async react(_: unknown, { postId, kind, userId }: React, context: AppContext) {
    const post = await findPost(context, postId);
    const user = await actingUser(context, userId);
    await reactTo(context.models, post, user, kind);
    return post;
  },

  async unreact(_: unknown, { postId, userId }: Unreact, context: AppContext) {
    const post = await findPost(context, postId);
    await takeBackReaction(context.models, post, await actingUser(context, userId));
    return post;
  },
};
