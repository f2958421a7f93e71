export { CommentFields } from './comment';
export { HomeFields, type Home } from './home';
export { InboxFields, NotificationFields, type Inbox } from './inbox';
export { NeighbourhoodFields } from './neighbourhood';
export { PostFields } from './post';
export { UserFields } from './user';
