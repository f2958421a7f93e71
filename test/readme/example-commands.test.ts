import { runCommandsOf } from './run-commands';

runCommandsOf('example-graphql/README.md');
