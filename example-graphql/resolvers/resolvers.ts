import * as fields from './fields';
import * as mutations from './mutations';
import { Query } from './query';

/** By type, as Apollo Server takes them. None says where its data comes from. */
export const resolvers = {
  Query,
  Mutation: {
    ...mutations.userMutations,
    ...mutations.neighbourhoodMutations,
    ...mutations.postMutations,
    ...mutations.commentMutations,
    ...mutations.reactionMutations,
    ...mutations.notificationMutations,
    ...mutations.askMutations,
  },
  User: fields.UserFields,
  Neighbourhood: fields.NeighbourhoodFields,
  Post: fields.PostFields,
  Comment: fields.CommentFields,
  Home: fields.HomeFields,
  Inbox: fields.InboxFields,
  Notification: fields.NotificationFields,
};
