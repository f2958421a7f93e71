import type { IncomingHttpHeaders } from 'node:http';
import type { Sequelize } from 'sequelize';
import type { AppLoaders } from './loaders';
import type { Models, User } from './models';

/** What every resolver is given as its third argument. */
export interface AppContext {
  readonly sequelize: Sequelize;
  readonly models: Models;
  readonly loaders: AppLoaders;
  /** The user named by the header x-user-handle; `null` when there is none of that name. */
  readonly currentUser: User | null;
}

/** The context function: it reads, so it is run inside the operation (see server.ts). */
export function contextOf(app: Omit<AppContext, 'currentUser'>) {
  return async ({ req }: { req: { headers: IncomingHttpHeaders } }): Promise<AppContext> => {
    const handle = req.headers['x-user-handle'];
    const currentUser =
      typeof handle === 'string' ? await app.loaders.userByHandle.load(handle) : null;
    return { ...app, currentUser };
  };
}
