import { isFreshReadsError } from 'sequelize-fresh-reads';
import { tell } from './tell';

const say = (line: string) => void process.stdout.write(`${line}\n`);

tell(say).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    console.error(isFreshReadsError(error) ? `error   ${error.message}` : error);
    process.exitCode = 1;
  },
);
