import type { ClusterNode } from 'sequelize-fresh-reads/testing';

/** A user of the seed with posts that no other player touches. */
export interface Player {
  readonly id: number;
  readonly handle: string;
  readonly posts: readonly [number, number, number];
}

const PLAYERS = 5;

/** Five users of the seed for a side: the first five for side 0, the next five for side 1. */
export async function castOf(primary: ClusterNode, side: number): Promise<readonly Player[]> {
  const rows = await primary.query(
    `SELECT users.id, handle, array_agg(posts.id ORDER BY posts.id) AS posts
     FROM users JOIN posts ON author_id = users.id AND status = 'PUBLISHED'
     GROUP BY users.id HAVING count(*) >= 3 ORDER BY users.id LIMIT $1 OFFSET $2`,
    [PLAYERS, side * PLAYERS],
  );
  return rows as unknown as Player[];
}
