import type { Player } from './players';

export interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string }[];
}

/** One operation of a player, and how to tell whether its answer is stale. */
export interface Step<Data = unknown> {
  readonly title: string;
  /** The field that it is about. */
  readonly name: string;
  readonly query: string;
  readonly variables: (player: Player) => Record<string, unknown>;
  /** What the answer says, as a row like the one that `truth` gives. */
  seen(data: Data): unknown;
  /** Asked of the primary right after the answer. */
  readonly truth: { readonly sql: string; readonly values: (player: Player) => unknown[] };
}

interface Counts {
  readonly posts: number;
  readonly comments: number;
}

/** In an order in which none touches what a later one is about. */
export const steps: readonly Step[] = [
  {
    title: 'A page of posts with authors, comments and counts: nothing is written',
    name: 'posts',
    query: `query Posts {
      posts(status: PUBLISHED, limit: 10) {
        total
        items { title author { name } commentCount reactionCount comments(first: 3) { author { name } } }
      }
    }`,
    variables: () => ({}),
    seen: ({ posts }) => ({ total: posts.total }),
    truth: {
      sql: `SELECT count(*)::int AS total FROM posts WHERE status = 'PUBLISHED'`,
      values: () => [],
    },
  } satisfies Step<{ posts: { total: number } }>,
  {
    title: 'Comments on a post, then reads the thread',
    name: 'addComment',
    query: `mutation AddComment($post: ID!, $body: String!) {
      addComment(input: { postId: $post, body: $body }) {
        author { name }
        post { title neighbourhood { name } commentCount comments { body } }
      }
    }`,
    variables: ({ posts: [post], handle }) => ({ post, body: `Said by ${handle}` }),
    seen: ({ addComment: { post } }) => ({
      count: post.commentCount,
      last: post.comments.at(-1)?.body,
    }),
    truth: {
      sql: `SELECT count(*)::int AS count, (array_agg(body ORDER BY id DESC))[1] AS last
            FROM comments WHERE post_id = $1`,
      values: ({ posts: [post] }) => [post],
    },
  } satisfies Step<{
    addComment: { post: { commentCount: number; comments: { body: string }[] } };
  }>,
  {
    title: 'Reacts to a post, then reads the count and its own reaction',
    name: 'react',
    query: `mutation React($post: ID!) {
      react(postId: $post, kind: THANKS) { title author { name } reactionCount myReaction }
    }`,
    variables: ({ posts: [, post] }) => ({ post }),
    seen: ({ react }) => ({ count: react.reactionCount, mine: react.myReaction }),
    truth: {
      sql: `SELECT count(*)::int AS count, max(kind) FILTER (WHERE user_id = $2) AS mine
            FROM reactions WHERE post_id = $1`,
      values: ({ posts: [, post], id }) => [post, id],
    },
  } satisfies Step<{ react: { reactionCount: number; myReaction: string | null } }>,
  {
    title: 'Founds a neighbourhood in a transaction, then joins somebody else to it',
    name: 'joinNeighbourhood',
    query: `mutation Found($slug: String!) {
      foundNeighbourhood(input: { slug: $slug, name: "A new one" }) { id }
      joinNeighbourhood(slug: $slug, userId: 100) { memberCount members { handle } }
    }`,
    variables: (player) => ({ slug: slugOf(player) }),
    seen: ({ joinNeighbourhood: { memberCount, members } }) => ({
      count: memberCount,
      members: members.map(({ handle }) => handle),
    }),
    truth: {
      sql: `SELECT count(*)::int AS count, array_agg(handle::text ORDER BY users.id) AS members
            FROM neighbourhoods JOIN memberships ON neighbourhood_id = neighbourhoods.id
              JOIN users ON users.id = user_id WHERE slug = $1`,
      values: (player) => [slugOf(player)],
    },
  } satisfies Step<{ joinNeighbourhood: { memberCount: number; members: { handle: string }[] } }>,
  {
    title: 'Helper functions that know nothing of each other: join, open a thread, ask, count',
    name: 'askNeighbours',
    query: `mutation Ask($handle: String!) {
      askNeighbours(input: { handle: $handle, name: "New", title: $handle, question: "Who?" }) {
        activity { posts comments }
      }
    }`,
    variables: ({ handle }) => ({ handle: `${handle}_asks` }),
    seen: ({ askNeighbours: { activity } }) => activity,
    truth: {
      sql: `SELECT (SELECT count(*)::int FROM posts WHERE author_id = users.id) AS posts,
              (SELECT count(*)::int FROM comments WHERE author_id = users.id) AS comments
            FROM users WHERE handle = $1`,
      values: ({ handle }) => [`${handle}_asks`],
    },
  } satisfies Step<{ askNeighbours: { activity: Counts } }>,
  {
    title: 'The start page: a query that notes the visit',
    name: 'home',
    query: `query Home {
      home {
        user { lastSeenAt }
        inbox { unreadCount notifications(first: 5) { kind actor { name } } }
        feed(first: 5) { items { title author { name } commentCount } next }
      }
    }`,
    variables: () => ({}),
    seen: ({ home }) => ({ seen: home.user.lastSeenAt }),
    truth: {
      sql: `SELECT to_char(last_seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS seen
            FROM users WHERE id = $1`,
      values: ({ id }) => [id],
    },
  } satisfies Step<{ home: { user: { lastSeenAt: string | null } } }>,
  {
    title: 'Deletes a post, and its comments by the cascade of the database',
    name: 'deletePost',
    query: `mutation DeletePost($post: ID!) {
      deletePost(id: $post) { author { name posts { id } comments { id } } }
    }`,
    variables: ({ posts: [, , post] }) => ({ post }),
    seen: ({ deletePost: { author } }) => ({
      posts: author.posts.length,
      comments: author.comments.length,
    }),
    truth: {
      sql: `SELECT (SELECT count(*)::int FROM posts WHERE author_id = $1) AS posts,
              (SELECT count(*)::int FROM comments WHERE author_id = $1) AS comments`,
      values: ({ id }) => [id],
    },
  } satisfies Step<{
    deletePost: { author: { posts: { id: string }[]; comments: { id: string }[] } };
  }>,
];

function slugOf({ handle }: Player): string {
  return `${handle.replace('_', '-')}-yard`;
}
