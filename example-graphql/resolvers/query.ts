import type { AppContext } from '../context';
import type { PostStatus } from '../models';
import { noteVisit } from '../neighbourhood';
import { toId, toPage, type PageArguments } from './arguments';
import type { Home } from './fields';
import { signedIn } from './find';

type PostsArguments = PageArguments & { readonly status?: PostStatus | null };

export const Query = {
  me: (_: unknown, _args: unknown, { currentUser }: AppContext) => currentUser,

  async home(_: unknown, _args: unknown, context: AppContext): Promise<Home> {
    const { id } = signedIn(context);
    await noteVisit(context.models, id);
    return { userId: id };
  },

  async users(_: unknown, args: PageArguments, { models }: AppContext) {
    const { count, rows } = await models.User.findAndCountAll({
      ...toPage(args),
      order: [['id', 'ASC']],
    });
    return { total: count, items: rows };
  },

  user: (_: unknown, { id }: { id: string }, { loaders }: AppContext) =>
    loaders.user.load(toId(id)),

  userByHandle: (_: unknown, { handle }: { handle: string }, { loaders }: AppContext) =>
    loaders.userByHandle.load(handle),

  async neighbourhoods(_: unknown, args: PageArguments, { models }: AppContext) {
    const { count, rows } = await models.Neighbourhood.findAndCountAll({
      ...toPage(args),
      order: [['id', 'ASC']],
    });
    return { total: count, items: rows };
  },

  neighbourhood: (_: unknown, { slug }: { slug: string }, { loaders }: AppContext) =>
    loaders.neighbourhoodBySlug.load(slug),

  async posts(_: unknown, { status, ...page }: PostsArguments, { models }: AppContext) {
    const { count, rows } = await models.Post.findAndCountAll({
      ...toPage(page),
      where: status ? { status } : {},
      order: [['id', 'DESC']],
    });
    return { total: count, items: rows };
  },

  post: (_: unknown, { id }: { id: string }, { loaders }: AppContext) =>
    loaders.post.load(toId(id)),

  comments: (_: unknown, args: PageArguments, { models }: AppContext) =>
    models.Comment.findAll({ ...toPage(args), order: [['id', 'DESC']] }),

  comment: (_: unknown, { id }: { id: string }, { loaders }: AppContext) =>
    loaders.comment.load(toId(id)),
};
