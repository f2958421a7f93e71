import type { ClusterNode } from '../../src/testing';
import { at, type Answer, type Client } from './client';

/** Rows of one player's own, so that two can play on the same database. */
export interface Player {
  readonly handle: string;
  readonly user: number;
  readonly draft: number;
  readonly doomedPost: number;
  readonly thread: number;
  readonly doomedComment: number;
  /** A neighbourhood that the user is the only member of. */
  readonly slug: string;
  /** A user who belongs nowhere. */
  readonly stranger: number;
}

/** One operation that writes, and what it has to see of it. */
interface Step {
  readonly name: string;
  readonly query: string;
  readonly variables: (player: Player) => Record<string, unknown>;
  /** Whether the player's handle goes along as the current user. */
  readonly signedIn?: boolean;
  /** Paths into its answer, and what is to be found there. */
  readonly seen: readonly string[];
  readonly expected: (player: Player) => readonly unknown[];
  /** Read by the operation, not written: a standby answers. */
  readonly untouched: readonly string[];
}

export const steps: readonly Step[] = [
  {
    name: 'createUser',
    query: `mutation ($handle: String!) {
      createUser(input: { handle: $handle, name: "New" }) { handle posts { id } comments { id } }
    }`,
    variables: ({ handle }) => ({ handle: `${handle}_new` }),
    seen: ['createUser'],
    expected: ({ handle }) => [{ handle: `${handle}_new`, posts: [], comments: [] }],
    untouched: ['posts', 'comments'],
  },
  {
    name: 'updateUser',
    query: `mutation ($id: ID!) {
      updateUser(id: $id, input: { name: "Renamed", bio: "Moved" }) {
        name
        posts { author { name bio } }
      }
    }`,
    variables: ({ user }) => ({ id: user }),
    seen: ['updateUser.name', 'updateUser.posts.0.author'],
    expected: () => ['Renamed', { name: 'Renamed', bio: 'Moved' }],
    untouched: ['posts'],
  },
  {
    name: 'createPost',
    query: `mutation ($id: ID!) {
      createPost(input: { title: "Fresh", authorId: $id }) { title author { posts { title } } }
    }`,
    variables: ({ user }) => ({ id: user }),
    seen: ['createPost.author.posts.-1.title'],
    expected: () => ['Fresh'],
    untouched: ['users'],
  },
  {
    name: 'updatePost',
    query: `mutation ($id: ID!) {
      updatePost(id: $id, input: { title: "Retitled" }) { author { posts { id title } } }
    }`,
    variables: ({ thread }) => ({ id: thread }),
    seen: ['updatePost.author.posts.*.title'],
    expected: () => [['Draft', 'Doomed', 'Retitled', 'Fresh']],
    untouched: ['users'],
  },
  {
    name: 'publishPost',
    query: `mutation ($id: ID!) {
      publishPost(id: $id) { status author { posts { status } } }
    }`,
    variables: ({ draft }) => ({ id: draft }),
    seen: ['publishPost.status', 'publishPost.author.posts.0.status'],
    expected: () => ['PUBLISHED', 'PUBLISHED'],
    untouched: ['users'],
  },
  {
    name: 'addComment',
    query: `mutation ($post: ID!, $user: ID!) {
      addComment(input: { postId: $post, authorId: $user, body: "Said" }) {
        post { title commentCount comments { body } }
        author { comments { body } }
      }
    }`,
    variables: ({ thread, user }) => ({ post: thread, user }),
    seen: [
      'addComment.post.commentCount',
      'addComment.post.comments.-1.body',
      'addComment.author.comments.-1.body',
    ],
    expected: () => [2, 'Said', 'Said'],
    untouched: ['users', 'posts'],
  },
  {
    name: 'deleteComment',
    query: `mutation ($id: ID!) {
      deleteComment(id: $id) { id post { title comments { body } } }
    }`,
    variables: ({ doomedComment }) => ({ id: doomedComment }),
    seen: ['deleteComment.post.comments.*.body'],
    expected: () => [['Said']],
    untouched: ['posts'],
  },
  {
    name: 'deletePost',
    query: `mutation ($id: ID!) {
      deletePost(id: $id) { id author { posts { title } comments { body } } }
    }`,
    variables: ({ doomedPost }) => ({ id: doomedPost }),
    // Its comment went with it, by the cascade of the database.
    seen: ['deletePost.author.posts.*.title', 'deletePost.author.comments.*.body'],
    expected: () => [['Draft', 'Retitled', 'Fresh'], ['Said']],
    untouched: ['users'],
  },
  {
    name: 'askNeighbours',
    query: `mutation ($handle: String!) {
      askNeighbours(input: { handle: $handle, name: "Asker", title: $handle, question: "Who?" }) {
        joined
        opened
        user { name }
        post { commentCount author { handle } }
        activity { posts comments }
      }
    }`,
    variables: ({ handle }) => ({ handle: `${handle}_asks` }),
    seen: ['askNeighbours'],
    expected: ({ handle }) => [
      {
        joined: true,
        opened: true,
        user: { name: 'Asker' },
        post: { commentCount: 1, author: { handle: `${handle}_asks` } },
        activity: { posts: 1, comments: 1 },
      },
    ],
    untouched: [],
  },
  {
    name: 'foundNeighbourhood',
    query: `mutation ($slug: String!, $user: ID!) {
      foundNeighbourhood(input: { slug: $slug, name: "New", hostId: $user }) {
        memberCount
        members { handle }
        posts { id }
      }
    }`,
    variables: ({ slug, user }) => ({ slug: `${slug}-new`, user }),
    seen: ['foundNeighbourhood'],
    expected: ({ handle }) => [{ memberCount: 1, members: [{ handle }], posts: [] }],
    untouched: ['posts'],
  },
  {
    name: 'joinNeighbourhood',
    query: `mutation ($slug: String!, $user: ID!) {
      joinNeighbourhood(slug: $slug, userId: $user) { memberCount members { handle } posts { id } }
    }`,
    variables: ({ slug, stranger }) => ({ slug, user: stranger }),
    seen: ['joinNeighbourhood.memberCount', 'joinNeighbourhood.members.*.handle'],
    expected: ({ handle }) => [2, [handle, `${handle}_stranger`]],
    untouched: ['posts'],
  },
  {
    name: 'leaveNeighbourhood',
    query: `mutation ($slug: String!, $user: ID!) {
      leaveNeighbourhood(slug: $slug, userId: $user) { memberCount members { handle } posts { id } }
    }`,
    variables: ({ slug, user }) => ({ slug, user }),
    seen: ['leaveNeighbourhood.memberCount', 'leaveNeighbourhood.members.*.handle'],
    expected: ({ handle }) => [1, [`${handle}_stranger`]],
    untouched: ['posts'],
  },
  {
    name: 'react',
    query: `mutation ($post: ID!, $user: ID!) {
      react(postId: $post, userId: $user, kind: HELP) { reactionCount author { handle } }
    }`,
    variables: ({ thread, stranger }) => ({ post: thread, user: stranger }),
    seen: ['react.reactionCount'],
    expected: () => [1],
    untouched: ['users'],
  },
  {
    name: 'react, again by the same user',
    query: `mutation ($post: ID!) {
      react(postId: $post, kind: THANKS) { reactionCount myReaction author { handle } }
    }`,
    signedIn: true,
    variables: ({ draft }) => ({ post: draft }),
    seen: ['react.reactionCount', 'react.myReaction'],
    expected: () => [1, 'THANKS'],
    untouched: ['users'],
  },
  {
    name: 'unreact',
    query: `mutation ($post: ID!, $user: ID!) {
      unreact(postId: $post, userId: $user) { reactionCount author { handle } }
    }`,
    variables: ({ draft, user }) => ({ post: draft, user }),
    seen: ['unreact.reactionCount'],
    expected: () => [0],
    untouched: ['users'],
  },
  {
    name: 'markNotificationsRead',
    query: `mutation ($user: ID!) {
      markNotificationsRead(userId: $user) {
        unreadCount
        notifications { kind read actor { name } post { title } }
      }
    }`,
    variables: ({ user }) => ({ user }),
    // The older one was there, the newer one came of the reaction.
    seen: [
      'markNotificationsRead.unreadCount',
      'markNotificationsRead.notifications.*.kind',
      'markNotificationsRead.notifications.*.read',
    ],
    expected: () => [0, ['REACTION', 'COMMENT'], [true, true]],
    untouched: ['users', 'posts'],
  },
  {
    name: 'home, a query that writes',
    query: `query { home { user { lastSeenAt } feed { items { title } next } inbox { unreadCount } } }`,
    signedIn: true,
    variables: () => ({}),
    // A time as text.
    seen: ['home.user.lastSeenAt.length'],
    expected: () => [24],
    untouched: ['memberships', 'posts', 'notifications'],
  },
  {
    name: 'several root fields, one after another',
    query: `mutation ($post: ID!, $user: ID!) {
      one: addComment(input: { postId: $post, authorId: $user, body: "1" }) { post { commentCount } }
      two: addComment(input: { postId: $post, authorId: $user, body: "2" }) { post { commentCount } }
      renamed: updateUser(id: $user, input: { name: "Last" }) { comments { author { name } } }
    }`,
    variables: ({ draft, user }) => ({ post: draft, user }),
    seen: ['one.post.commentCount', 'two.post.commentCount', 'renamed.comments.-1.author.name'],
    expected: () => [1, 2, 'Last'],
    untouched: ['posts'],
  },
];

/** Puts a player's rows on the primary, past the example: they are nobody's writes. */
export async function addPlayer(primary: ClusterNode, handle: string): Promise<Player> {
  const insert = async (
    table: string,
    values: Record<string, unknown>,
    times = ['created_at', 'updated_at'],
  ): Promise<number> => {
    const names = [...Object.keys(values), ...times];
    const marks = [
      ...Object.keys(values).map((_, index) => `$${index + 1}`),
      ...times.map(() => 'now()'),
    ];
    const [row] = await primary.query(
      `INSERT INTO ${table} (${names.join()}) VALUES (${marks.join()}) RETURNING id`,
      Object.values(values),
    );
    return row?.['id'] as number;
  };
  const user = await insert('users', { handle, name: 'Old', bio: '' });
  const post = (title: string, status: string) =>
    insert('posts', { title, body: '', status, author_id: user });
  const comment = (postId: number) =>
    insert('comments', { body: 'Old', post_id: postId, author_id: user });
  const draft = await post('Draft', 'DRAFT');
  const doomedPost = await post('Doomed', 'PUBLISHED');
  const thread = await post('Thread', 'PUBLISHED');
  await comment(doomedPost);
  const doomedComment = await comment(thread);
  const stranger = await insert('users', { handle: `${handle}_stranger`, name: 'Other', bio: '' });
  await insert('reactions', { kind: 'LIKE', post_id: draft, user_id: user });
  await insert(
    'notifications',
    { kind: 'COMMENT', user_id: user, actor_id: stranger, post_id: thread },
    ['created_at'],
  );
  const slug = handle.replace('_', '-');
  const place = await insert('neighbourhoods', { slug, name: 'Old' });
  await primary.query(
    `INSERT INTO memberships (user_id, neighbourhood_id, role, created_at)
     VALUES ($1, $2, 'HOST', now())`,
    [user, place],
  );
  return { handle, user, draft, doomedPost, thread, doomedComment, slug, stranger };
}

/** What one step saw: fresh when it is what its operation had written. */
export interface Outcome {
  readonly step: Step;
  readonly answer: Answer;
  readonly seen: readonly unknown[];
  readonly expected: readonly unknown[];
}

/** Plays all steps, each an operation of its own. */
export async function play(client: Client, player: Player): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const step of steps) {
    const headers = step.signedIn ? { 'x-user-handle': player.handle } : {};
    const answer = await client.ask(step.query, step.variables(player), headers);
    const seen = step.seen.map((path) => at(answer.data, path));
    outcomes.push({ step, answer, seen, expected: step.expected(player) });
  }
  return outcomes;
}
