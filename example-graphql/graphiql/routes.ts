import path from 'node:path';
import { Router, type RequestHandler } from 'express';
import { ASSETS, page } from './page';

/** The page at / and /graphiql, and at /graphql for browsers; its files from npm packages. */
export function graphiqlRoutes(): Router {
  const router = Router();
  const sendPage: RequestHandler = (_req, res) => {
    res.type('html').send(page);
  };
  router.get(['/', '/graphiql'], sendPage);
  router.get('/graphql', (req, res, next) =>
    // A browser that was given this address; programs ask for JSON, or for anything.
    req.accepts(['json', 'html']) === 'html' ? sendPage(req, res, next) : next(),
  );
  const files = {
    'react.js': fileOf('react', 'umd/react.production.min.js'),
    'react-dom.js': fileOf('react-dom', 'umd/react-dom.production.min.js'),
    'graphiql.js': fileOf('graphiql', 'graphiql.min.js'),
    'graphiql.css': fileOf('graphiql', 'graphiql.min.css'),
  };
  for (const [name, file] of Object.entries(files)) {
    router.get(`${ASSETS}/${name}`, (_req, res) => {
      // The path may lead through a folder with a dot: it is ours, not the client's.
      res.sendFile(file, { maxAge: '1h', dotfiles: 'allow' });
    });
  }
  return router;
}

// By way of package.json: the browser builds are not among what these packages let others import.
function fileOf(packageName: string, file: string): string {
  return path.join(path.dirname(require.resolve(`${packageName}/package.json`)), file);
}
