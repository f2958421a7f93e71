import { expect } from 'chai';
import express from 'express';
import { request as rawRequest } from 'node:http';
import { once } from 'node:events';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';
import { freshReads, isOptionsError, type Decision, type FreshReads } from '../../src';
import { freshReadsMiddleware } from '../../src/http';
import { currentOperation, type Operation } from '../../src/operation';
import { Client, serve, type TestServer } from '../support/http';

describe('freshReadsMiddleware', () => {
  let database: TestDatabase;
  let reads: FreshReads;
  let select: () => Promise<unknown>;
  let server: TestServer | undefined;
  const seen: Decision[] = [];

  before(async () => {
    database = await createDatabase('CREATE TABLE things (id int)');
    const sequelize = database.connect();
    reads = freshReads(sequelize, { sessionSecret: 'a secret of these tests, long enough' });
    await reads.ready();
    reads.onDecision((decision) => seen.push(decision));
    select = () => sequelize.query('SELECT * FROM things');
  });
  beforeEach(() => {
    seen.length = 0;
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });
  after(() => database.close());

  const start = async (app: Parameters<typeof serve>[0]) => {
    server = await serve(app);
    return new Client(server.url);
  };

  it('names the operation by method and path, and leaves the query string out', async () => {
    const app = express();
    const router = express.Router();
    router.get('/:id', freshReadsMiddleware(reads), async (_, response) => {
      await select();
      response.json({});
    });
    app.use('/users', router);
    const client = await start(app);
    await client.get('/users/7?password=secret#x');
    expect(seen[0]?.operation).to.include({ name: 'GET /users/7', kind: 'request' });
  });

  it('takes a name and an id of your own', async () => {
    const app = express();
    const ids: unknown[] = ['request-7', 8, '', undefined];
    app.use(
      freshReadsMiddleware(reads, {
        requestId: () => ids.shift(),
        name: ({ method }) => (method === 'GET' ? 'reading' : undefined),
      }),
    );
    app.use(async (_, response) => {
      await select();
      response.json({});
    });
    const client = await start(app);
    for (const method of ['GET', 'PUT', 'GET', 'GET']) {
      await (await client.fetch('/', { method })).text();
    }
    const operations = seen.map(({ operation }) => operation);
    expect(operations.map((operation) => operation?.name)).to.deep.equal([
      'reading',
      undefined,
      'reading',
      'reading',
    ]);
    expect(operations.slice(0, 2).map((operation) => operation?.id)).to.deep.equal([
      'request-7',
      '8',
    ]);
    expect(operations[2]?.id).to.match(/^op-\d+$/);
    expect(operations[3]?.id).to.match(/^op-\d+$/);
  });

  it('keeps handlers in the operation, wherever the body is read', async () => {
    const parser = express.json();
    const ours = freshReadsMiddleware(reads);
    const handler: express.RequestHandler = async ({ body }, response) => {
      await select();
      response.json(body);
    };
    const app = express();
    app.post('/before', parser, ours, handler);
    app.post('/after', ours, parser, handler);
    app.post('/events', ours, (request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        void select().then(() => response.json(JSON.parse(text)));
      });
    });
    const client = await start(app);
    for (const path of ['/before', '/after', '/events']) {
      expect(await client.post(path, { a: 1 })).to.deep.equal({ a: 1 });
    }
    expect(seen.map(({ operation }) => operation?.name)).to.deep.equal([
      'POST /before',
      'POST /after',
      'POST /events',
    ]);
  });

  it('is a part of the operation that it runs inside', async () => {
    const ours = freshReadsMiddleware(reads);
    const client = await start((req, res) => {
      void reads.runOperation({ name: 'outer' }, async () => {
        await new Promise<void>((resolve) =>
          ours(req, res, () => void select().then(() => resolve())),
        );
        res.end('{}');
      });
    });
    await client.get('/');
    expect(seen[0]?.operation?.name).to.equal('outer');
  });

  it('serves handlers of node:http', async () => {
    const ours = freshReadsMiddleware(reads);
    const client = await start((req, res) =>
      ours(req, res, () => {
        void select().then(() => res.end('{"ok":true}'));
      }),
    );
    expect(await client.get('/')).to.deep.equal({ ok: true });
  });

  it('ends the operation with the response, and with a client that goes away', async () => {
    let operation: Operation | undefined;
    let arrived: () => void = () => undefined;
    let closed: () => void = () => undefined;
    const ours = freshReadsMiddleware(reads);
    const client = await start((req, res) =>
      ours(req, res, () => {
        operation = currentOperation();
        res.once('close', () => closed());
        arrived();
        if (req.url === '/answer') res.end('{}');
      }),
    );
    const closing = () => new Promise<void>((resolve) => (closed = resolve));
    let close = closing();
    await client.get('/answer');
    await close;
    expect(operation?.ended).to.equal(true);
    close = closing();
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    const request = rawRequest(`${client.url}/wait`);
    request.on('error', () => undefined);
    request.end();
    await arrival;
    expect(operation?.ended).to.equal(false);
    request.destroy();
    await close;
    expect(operation?.ended).to.equal(true);
  });

  it('sends the head of a stream of events at once', async () => {
    const app = express();
    let finish: () => void = () => undefined;
    app.use(freshReadsMiddleware(reads));
    app.get('/events', (_, response) => {
      response.type('text/event-stream').flushHeaders();
      finish = () => response.end('data: 1\n\n');
    });
    const client = await start(app);
    const request = rawRequest(`${client.url}/events`);
    request.end();
    const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream];
    finish();
    const chunks: unknown[] = [];
    for await (const chunk of response) chunks.push(String(chunk));
    expect(chunks.join('')).to.equal('data: 1\n\n');
  });

  it('lets handlers fail as they did', async () => {
    const app = express();
    app.use(freshReadsMiddleware(reads));
    app.get('/', () => {
      throw new Error('handler');
    });
    app.use(((error: Error, _request, response, _next) => {
      response.status(500).json({ message: error.message });
    }) as express.ErrorRequestHandler);
    const client = await start(app);
    expect(await client.get('/')).to.deep.equal({ message: 'handler' });
  });

  it('refuses what it can not work with', () => {
    const refused: [() => unknown, string][] = [
      [
        () => freshReadsMiddleware({} as never),
        'freshReadsMiddleware: the first argument must be the handle that freshReads(sequelize) gave, got {}.',
      ],
      [
        () => freshReadsMiddleware(reads, 5 as never),
        'freshReadsMiddleware(reads, options): options must be an object, got 5.',
      ],
      [
        () => freshReadsMiddleware(reads, { requestID: () => 1 } as never),
        'freshReadsMiddleware: unknown option "requestID"; did you mean "requestId"?',
      ],
      [
        () => freshReadsMiddleware(reads, { requestId: 'x' as never }),
        'freshReadsMiddleware: requestId must be a function that returns the id, got "x".',
      ],
      [
        () => freshReadsMiddleware(reads, { name: 'x' as never }),
        `freshReadsMiddleware: name must be a function of the request that returns the operation's name, got "x".`,
      ],
      [
        () => freshReadsMiddleware(reads, { cookie: 'x' as never }),
        'freshReadsMiddleware: cookie must be false or an object, got "x".',
      ],
      [
        () => freshReadsMiddleware(freshReads(database.connect()), { cookie: {} }),
        'freshReadsMiddleware: cookie, header and sessionStore carry session tokens, which need the option sessionSecret of freshReads().',
      ],
    ];
    for (const [call, message] of refused) {
      expect(call).to.throw(message).that.satisfies(isOptionsError);
    }
  });
});
