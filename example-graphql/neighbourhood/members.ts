import { badInput } from '../errors';
import type { Models, User } from '../models';

/** The neighbour of that handle, who joins now if nobody has it yet. */
export async function findOrJoin(
  { User }: Models,
  handle: string,
  name: string,
): Promise<{ user: User; joined: boolean }> {
  const found = await User.findOne({ where: { handle } });
  if (found) return { user: found, joined: false };
  return { user: await User.create({ handle, name }), joined: true };
}

/** The neighbour of that handle. */
export async function memberCalled({ User }: Models, handle: string): Promise<User> {
  const member = await User.findOne({ where: { handle } });
  if (!member) throw badInput(`nobody here is called ${JSON.stringify(handle)}`);
  return member;
}
