/** How many rows the seed has of each kind. */
export interface SeedSize {
  readonly users: number;
  readonly neighbourhoods: number;
  readonly posts: number;
  readonly comments: number;
  readonly reactions: number;
  readonly notifications: number;
}

export const SEED_SIZE: SeedSize = {
  users: 400,
  neighbourhoods: 16,
  posts: 2000,
  comments: 6000,
  reactions: 4000,
  notifications: 1000,
};
