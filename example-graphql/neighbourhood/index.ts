export { activityOf } from './activity';
export { findOrJoin } from './members';
export { ask, openThread } from './threads';
