/** The GraphQL schema, as text: resolvers/ has a function for every field that is not a column. */
export const typeDefs = `#graphql
  enum PostStatus {
    DRAFT
    PUBLISHED
  }

  type User {
    id: ID!
    handle: String!
    name: String!
    bio: String!
    posts: [Post!]!
    comments: [Comment!]!
  }

  type Post {
    id: ID!
    title: String!
    body: String!
    status: PostStatus!
    createdAt: String!
    author: User!
    comments: [Comment!]!
    commentCount: Int!
  }

  type Comment {
    id: ID!
    body: String!
    createdAt: String!
    author: User!
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

  type Query {
    "Who the header x-user-handle says you are."
    me: User
    users(limit: Int = 20, offset: Int = 0): UserPage!
    user(id: ID!): User
    userByHandle(handle: String!): User
    posts(status: PostStatus, limit: Int = 20, offset: Int = 0): PostPage!
    post(id: ID!): Post
    "The newest comments of the whole neighbourhood."
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
    createPost(input: CreatePostInput!): Post!
    updatePost(id: ID!, input: UpdatePostInput!): Post!
    publishPost(id: ID!): Post!
    "Its comments go with it."
    deletePost(id: ID!): DeletePostPayload!
    addComment(input: AddCommentInput!): Comment!
    deleteComment(id: ID!): DeleteCommentPayload!
    "Joins if need be, opens a thread if there is none of that title, and asks in it."
    askNeighbours(input: AskNeighboursInput!): AskNeighboursPayload!
  }
`;
