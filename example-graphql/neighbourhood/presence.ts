import type { Models } from '../models';

/** Notes that a user is here now. */
export async function noteVisit({ User }: Models, id: number): Promise<void> {
  await User.update({ lastSeenAt: new Date() }, { where: { id }, silent: true });
}
