export { askMutations } from './ask';
export { commentMutations } from './comments';
export { neighbourhoodMutations } from './neighbourhoods';
export { notificationMutations } from './notifications';
export { postMutations } from './posts';
export { reactionMutations } from './reactions';
export { userMutations } from './users';
