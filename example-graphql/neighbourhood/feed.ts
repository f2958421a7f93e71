import { Op } from 'sequelize';
import type { Models, Post } from '../models';

/** A page of what others have published in the neighbourhoods of a user, newest first. */
export async function feedOf(
  { Membership, Post }: Models,
  userId: number,
  first: number,
  after: number | undefined,
): Promise<{ items: Post[]; next: number | null }> {
  const memberships = await Membership.findAll({ where: { userId } });
  const found = await Post.findAll({
    where: {
      neighbourhoodId: memberships.map(({ neighbourhoodId }) => neighbourhoodId),
      authorId: { [Op.ne]: userId },
      status: 'PUBLISHED',
      ...(after !== undefined && { id: { [Op.lt]: after } }),
    },
    order: [['id', 'DESC']],
    // One more than asked for tells whether there is another page.
    limit: first + 1,
  });
  const items = found.slice(0, first);
  return { items, next: found.length > first ? (items.at(-1)?.id ?? null) : null };
}
