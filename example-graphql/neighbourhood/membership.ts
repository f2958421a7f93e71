import type { Sequelize } from 'sequelize';
import { badInput } from '../errors';
import type { Models, Neighbourhood, User } from '../models';

/** A new neighbourhood with its host, both or neither. */
export function foundNeighbourhood(
  sequelize: Sequelize,
  { Neighbourhood, Membership }: Models,
  { slug, name, host }: { slug: string; name: string; host: User },
): Promise<Neighbourhood> {
  return sequelize.transaction(async (transaction) => {
    const founded = await Neighbourhood.create({ slug, name }, { transaction });
    await Membership.create(
      { userId: host.id, neighbourhoodId: founded.id, role: 'HOST' },
      { transaction },
    );
    return founded;
  });
}

/** Refuses what only members may do. */
export async function assertMember(
  { Membership }: Models,
  { id: userId, handle }: User,
  neighbourhoodId: number,
): Promise<void> {
  const count = await Membership.count({ where: { userId, neighbourhoodId } });
  if (count === 0) throw badInput(`${handle} is no member of neighbourhood ${neighbourhoodId}`);
}
