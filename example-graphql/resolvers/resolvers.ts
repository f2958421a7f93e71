import { CommentFields, PostFields, UserFields } from './fields';
import { Mutation } from './mutation';
import { Query } from './query';

/** By type, as Apollo Server takes them. None says where its data comes from. */
export const resolvers = {
  Query,
  Mutation,
  User: UserFields,
  Post: PostFields,
  Comment: CommentFields,
};
