import type { AppContext } from '../../context';
import { activityOf, ask, findOrJoin, openThread } from '../../neighbourhood';

interface Ask {
  readonly input: {
    readonly handle: string;
    readonly name: string;
    readonly title: string;
    readonly question: string;
  };
}

export const askMutations = {
  /** Each step looks up for itself what it needs, also what a step before it has just written. */
  async askNeighbours(_: unknown, { input }: Ask, { models }: AppContext) {
    const { handle, name, title, question } = input;
    const { user, joined } = await findOrJoin(models, handle, name);
    const { post, opened } = await openThread(models, handle, title);
    const comment = await ask(models, handle, title, question);
    return { joined, opened, user, post, comment, activity: await activityOf(models, handle) };
  },
};
