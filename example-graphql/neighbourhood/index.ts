export { activityOf } from './activity';
export { feedOf } from './feed';
export { findOrJoin } from './members';
export { assertMember, foundNeighbourhood } from './membership';
export { markAllRead, notifyAuthor } from './notifications';
export { noteVisit } from './presence';
export { reactTo, takeBackReaction } from './reactions';
export { ask, openThread } from './threads';
