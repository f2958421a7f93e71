export { graphiqlRoutes } from './routes';
export { tabs, type Tab } from './tabs';
