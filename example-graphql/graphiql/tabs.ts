/** One tab of the page: a query with what goes with it. */
export interface Tab {
  readonly query: string;
  readonly variables?: string;
  readonly headers?: string;
}

const feed = `# Only reads: each decision below,
# in "extensions", says replica.
query Feed {
  posts(status: PUBLISHED, limit: 5) {
    total
    items {
      title
      author { name }
      commentCount
      comments { body author { handle } }
    }
  }
}
`;

const comment = `# Writes a comment and reads it back:
# comments come from the primary now,
# posts and users from a replica still.
# Send it again: the count is never old.
mutation AddComment($postId: ID!) {
  addComment(
    input: { postId: $postId, body: "Come by after six." }
  ) {
    body
    author { name }
    post {
      title
      commentCount
      comments { id body }
    }
  }
}
`;

const ask = `# Helper functions that know nothing of
# each other: find or create the asker, find
# or open the thread, ask in it, count.
# Each reads what another one wrote.
mutation Ask {
  askNeighbours(
    input: {
      handle: "zoe"
      name: "Zoe Zimmer"
      title: "Street party"
      question: "Who brings the tables?"
    }
  ) {
    joined
    opened
    user { id name }
    post { title commentCount }
    activity { posts comments }
  }
}
`;

const write = `# Who writes is said under Headers.
mutation CreatePost {
  createPost(
    input: { title: "Free apples", body: "Help yourselves." }
  ) {
    id
    status
    author { name posts { title } }
  }
}
`;

const home = `# A query that writes: it notes the visit.
# The user comes from the primary, the
# inbox and the feed from a replica.
query Home {
  home {
    user { name lastSeenAt neighbourhoods { name memberCount } }
    inbox { unreadCount notifications(first: 3) { kind actor { name } } }
    feed(first: 5) {
      items { title author { name } reactionCount myReaction }
      next
    }
  }
}
`;

/** What the page shows to somebody who comes for the first time. */
export const tabs: readonly Tab[] = [
  { query: feed },
  { query: comment, variables: '{ "postId": 1 }', headers: '{ "x-user-handle": "ada_ash" }' },
  { query: ask },
  { query: home, headers: '{ "x-user-handle": "cleo_ash" }' },
  { query: write, headers: '{ "x-user-handle": "ben_ash" }' },
];
