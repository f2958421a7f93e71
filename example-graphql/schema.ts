/** The GraphQL schema, as text: resolvers/ has a function for every field that is not a column. */
export const typeDefs = `#graphql
  enum PostStatus {
    DRAFT
    PUBLISHED
  }

  enum ReactionKind {
    LIKE
    THANKS
    HELP
  }

  enum NotificationKind {
    COMMENT
    REACTION
  }

  type User {
    id: ID!
    handle: String!
    name: String!
    bio: String!
    lastSeenAt: String
    "All of them, or the first so many."
    posts(first: Int): [Post!]!
    comments(first: Int): [Comment!]!
    neighbourhoods: [Neighbourhood!]!
  }

  type Neighbourhood {
    id: ID!
    slug: String!
    name: String!
    memberCount: Int!
    "Those who have been here longest."
    members(first: Int = 20): [User!]!
    "The newest published ones."
    posts(first: Int = 20): [Post!]!
  }

  type Post {
    id: ID!
    title: String!
    body: String!
    status: PostStatus!
    createdAt: String!
    author: User!
    neighbourhood: Neighbourhood
    comments(first: Int): [Comment!]!
    commentCount: Int!
    reactionCount: Int!
    "Of the user named by the header x-user-handle."
    myReaction: ReactionKind
  }

  type Comment {
    id: ID!
    body: String!
    createdAt: String!
    author: User!
    post: Post!
  }

  type Notification {
    id: ID!
    kind: NotificationKind!
    read: Boolean!
    actor: User!
    post: Post!
  }

  type UserPage {
    total: Int!
    items: [User!]!
  }

  type PostPage {
    total: Int!
    items: [Post!]!
  }

  type NeighbourhoodPage {
    total: Int!
    items: [Neighbourhood!]!
  }

  type FeedPage {
    items: [Post!]!
    "Give it as after for the next page; null on the last one."
    next: ID
  }

  type Inbox {
    unreadCount: Int!
    "The newest ones."
    notifications(first: Int = 20): [Notification!]!
  }

  type Home {
    "With the time of this visit as lastSeenAt."
    user: User!
    inbox: Inbox!
    "What others have published in the neighbourhoods of the user."
    feed(first: Int = 10, after: ID): FeedPage!
  }

  type Query {
    "Who the header x-user-handle says you are."
    me: User
    "The start page of the current user. It notes the visit: a query that writes."
    home: Home!
    users(limit: Int = 20, offset: Int = 0): UserPage!
    user(id: ID!): User
    userByHandle(handle: String!): User
    neighbourhoods(limit: Int = 20, offset: Int = 0): NeighbourhoodPage!
    neighbourhood(slug: String!): Neighbourhood
    posts(status: PostStatus, limit: Int = 20, offset: Int = 0): PostPage!
    post(id: ID!): Post
    "The newest comments of the whole network."
    comments(limit: Int = 20, offset: Int = 0): [Comment!]!
    comment(id: ID!): Comment
  }

  input CreateUserInput {
    handle: String!
    name: String!
    bio: String
  }

  input UpdateUserInput {
    name: String
    bio: String
  }

  input CreatePostInput {
    title: String!
    body: String
    status: PostStatus
    "Default: the user named by the header x-user-handle."
    authorId: ID
    "The neighbourhood it belongs to, of which the author must be a member. Default: none."
    neighbourhoodId: ID
  }

  input UpdatePostInput {
    title: String
    body: String
  }

  input AddCommentInput {
    postId: ID!
    body: String!
    "Default: the user named by the header x-user-handle."
    authorId: ID
  }

  input AskNeighboursInput {
    handle: String!
    "Used when nobody has this handle yet."
    name: String!
    title: String!
    question: String!
  }

  input FoundNeighbourhoodInput {
    slug: String!
    name: String!
    "Default: the user named by the header x-user-handle."
    hostId: ID
  }

  type DeletePostPayload {
    id: ID!
    "Whose post it was."
    author: User!
  }

  type DeleteCommentPayload {
    id: ID!
    "What it was said to."
    post: Post!
  }

  type AskNeighboursPayload {
    "Whether the asker is new here."
    joined: Boolean!
    "Whether this opened a new thread."
    opened: Boolean!
    user: User!
    post: Post!
    comment: Comment!
    "How many posts and comments the asker has now."
    activity: Activity!
  }

  type Activity {
    posts: Int!
    comments: Int!
  }

  type Mutation {
    createUser(input: CreateUserInput!): User!
    updateUser(id: ID!, input: UpdateUserInput!): User!

    "The founder is its host and first member."
    foundNeighbourhood(input: FoundNeighbourhoodInput!): Neighbourhood!
    "Joining twice changes nothing. Default of userId: the current user."
    joinNeighbourhood(slug: String!, userId: ID): Neighbourhood!
    leaveNeighbourhood(slug: String!, userId: ID): Neighbourhood!

    createPost(input: CreatePostInput!): Post!
    updatePost(id: ID!, input: UpdatePostInput!): Post!
    publishPost(id: ID!): Post!
    "Its comments, reactions and notifications go with it."
    deletePost(id: ID!): DeletePostPayload!

    "Tells the author of the post."
    addComment(input: AddCommentInput!): Comment!
    deleteComment(id: ID!): DeleteCommentPayload!

    "One a user and post: a second one replaces the first. Tells the author of the post."
    react(postId: ID!, kind: ReactionKind!, userId: ID): Post!
    unreact(postId: ID!, userId: ID): Post!

    "Default of userId: the current user."
    markNotificationsRead(userId: ID): Inbox!

    "Joins if need be, opens a thread if there is none of that title, and asks in it."
    askNeighbours(input: AskNeighboursInput!): AskNeighboursPayload!
  }
`;
