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
}

/** One operation that writes, and what it has to see of it. */
interface Step {
  readonly name: string;
  readonly query: string;
  readonly variables: (player: Player) => Record<string, unknown>;
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
  const insert = async (table: string, values: Record<string, unknown>): Promise<number> => {
    const names = [...Object.keys(values), 'created_at', 'updated_at'];
    const marks = Object.keys(values).map((_, index) => `$${index + 1}`);
    const [row] = await primary.query(
      `INSERT INTO ${table} (${names.join()}) VALUES (${marks.join()}, now(), now()) RETURNING id`,
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
  return { handle, user, draft, doomedPost, thread, doomedComment };
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
    const answer = await client.ask(step.query, step.variables(player));
    const seen = step.seen.map((path) => at(answer.data, path));
    outcomes.push({ step, answer, seen, expected: step.expected(player) });
  }
  return outcomes;
}
