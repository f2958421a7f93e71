import type { AppContext } from '../../context';
import { given } from '../arguments';
import { findUser } from '../find';

interface CreateUser {
  readonly input: { readonly handle: string; readonly name: string; readonly bio?: string | null };
}

interface UpdateUser {
  readonly id: string;
  readonly input: { readonly name?: string | null; readonly bio?: string | null };
}

export const userMutations = {
  createUser(_: unknown, { input }: CreateUser, { models }: AppContext) {
    const { handle, name, ...rest } = input;
    return models.User.create({ handle, name, ...given(rest) });
  },

  async updateUser(_: unknown, { id, input }: UpdateUser, context: AppContext) {
    const user = await findUser(context, id);
    return user.update(given(input));
  },
};
