import { expect } from 'chai';
import { get, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeHeaders } from '../../src/http/before-headers';
import { serve, type TestServer } from '../support/http';

const OURS = { setCookie: ['a=1', 'b=2'], headers: [['x-token', 't']] } as const;

type Prepare = Parameters<typeof beforeHeaders>[1];

/** The moments at which the headers can be ready: at once, and after what came meanwhile is held. */
const timings: [string, Prepare][] = [
  ['at once', () => OURS],
  ['later', () => new Promise((resolve) => setImmediate(() => resolve(OURS)))],
];

interface Answer {
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly raw: string[];
  readonly body: string;
}

const nothing = () => undefined;

describe('beforeHeaders', () => {
  let server: TestServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  async function request(listener: RequestListener, options: object = {}): Promise<Answer> {
    server = await serve(listener);
    const [response] = (await once(get(server.url, options), 'response')) as [IncomingMessage];
    const { statusCode, statusMessage, headers, rawHeaders } = response;
    return {
      status: statusCode,
      reason: statusMessage,
      headers,
      raw: rawHeaders,
      body: await text(response),
    };
  }

  for (const [when, prepare] of timings) {
    const answer = (handler: (response: ServerResponse) => void, options?: object) =>
      request((_, response) => {
        beforeHeaders(response, prepare);
        handler(response);
      }, options);

    describe(`with headers ready ${when}`, () => {
      it('adds them to a plain answer, which keeps its length', async () => {
        const { headers, body } = await answer((response) => {
          response.setHeader('Set-Cookie', 'theirs=0');
          response.end('hello');
        });
        expect(headers['set-cookie']).to.deep.equal(['theirs=0', 'a=1', 'b=2']);
        expect(headers).to.include({ 'x-token': 't', 'content-length': '5' });
        expect(body).to.equal('hello');
      });

      it('takes every form of writeHead', async () => {
        const forms: ((response: ServerResponse) => void)[] = [
          (response) => response.writeHead(201, { 'Set-Cookie': 'c=3', 'X-Own': 'yes' }),
          (response) => response.writeHead(201, ['Set-Cookie', 'c=3', 'X-Own', 'yes']),
          (response) => response.writeHead(201, 'Made', { 'set-cookie': ['c=3'], 'X-Own': 'yes' }),
          (response) => {
            response.setHeader('X-Own', 'no');
            response.writeHead(201, ['Set-Cookie', 'c=3', 'X-Own', 'yes']);
          },
          (response) =>
            response.writeHead(201, [
              ['Set-Cookie', 'c=3'],
              ['X-Own', 'yes'],
            ] as never),
        ];
        for (const form of forms) {
          const { status, reason, headers } = await answer((response) => {
            form(response);
            response.end();
          });
          expect(status).to.equal(201);
          expect(reason).to.match(/^(Created|Made)$/);
          expect(headers['set-cookie']).to.deep.equal(['c=3', 'a=1', 'b=2']);
          expect(headers).to.include({ 'x-own': 'yes', 'x-token': 't' });
          await server?.close();
        }
      });

      it('keeps what a list repeats', async () => {
        const { headers } = await answer((response) => {
          response.writeHead(200, ['Set-Cookie', 'c=3', 'Set-Cookie', 'd=4']);
          response.end();
        });
        expect(headers['set-cookie']).to.deep.equal(['c=3', 'd=4', 'a=1', 'b=2']);
      });

      it('keeps the order of writes, and calls back for each', async () => {
        const called: string[] = [];
        const { body } = await answer((response) => {
          response.write('one ', () => called.push('one'));
          response.write(Buffer.from('two '), () => called.push('two'));
          response.write('74687265652e', 'hex', () => called.push('three'));
          response.end(' end', () => called.push('end'));
        });
        expect(body).to.equal('one two three. end');
        expect(called).to.deep.equal(['one', 'two', 'three', 'end']);
      });

      it('lets a stream that is longer than the buffers through', async () => {
        const chunk = 'x'.repeat(64 * 1024);
        const { body } = await answer((response) => {
          Readable.from(Array.from({ length: 40 }, () => chunk)).pipe(response);
        });
        expect(body.length).to.equal(40 * chunk.length);
      });

      it('says to the writer that its headers are sent', async () => {
        const seen: unknown[] = [];
        const { body, headers, status } = await answer((response) => {
          response.setHeader('Content-Length', 5);
          response.statusCode = 202;
          expect(response.headersSent).to.equal(false);
          expect(response.end('first')).to.equal(response);
          seen.push(response.headersSent, response.writableEnded);
          response.statusCode = 500;
          for (const again of [
            () => response.setHeader('Content-Length', 99),
            () => response.writeHead(500),
            () => response.removeHeader('Content-Length'),
          ]) {
            expect(again).to.throw().with.property('code', 'ERR_HTTP_HEADERS_SENT');
          }
        });
        expect(seen).to.deep.equal([true, true]);
        expect(body).to.equal('first');
        expect(status).to.equal(202);
        expect(headers['content-length']).to.equal('5');
      });

      it('sends the head alone when that is asked for', async () => {
        let finish: () => unknown = nothing;
        server = await serve((_, response) => {
          beforeHeaders(response, prepare);
          response.writeHead(200, { 'Content-Type': 'text/event-stream' });
          response.flushHeaders();
          finish = () => response.end('data: 1\n\n');
        });
        const [response] = (await once(get(server.url), 'response')) as [IncomingMessage];
        expect(response.headers['set-cookie']).to.deep.equal(['a=1', 'b=2']);
        finish();
        expect(await text(response)).to.equal('data: 1\n\n');
      });

      it('answers HEAD and 304 without a body', async () => {
        const head = await answer((response) => response.end('gone'), { method: 'HEAD' });
        expect(head.body).to.equal('');
        expect(head.headers['set-cookie']).to.deep.equal(['a=1', 'b=2']);
        await server?.close();
        const unchanged = await answer((response) => {
          response.statusCode = 304;
          response.end();
        });
        expect(unchanged.status).to.equal(304);
        expect(unchanged.headers['x-token']).to.equal('t');
      });

      it('works under wrappers of other middleware', async () => {
        const { headers } = await answer((response) => {
          const writeHead = response.writeHead.bind(response);
          let fired = false;
          response.writeHead = (status: number) => {
            if (!fired) response.setHeader('X-Late', 'set');
            fired = true;
            return writeHead(status);
          };
          response.write('x');
          response.end();
        });
        expect(headers).to.include({ 'x-late': 'set', 'x-token': 't' });
      });

      it('serves the next request of a connection', async () => {
        const { Agent } = await import('node:http');
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        const ports = new Set<number | undefined>();
        server = await serve((incoming, response) => {
          ports.add(incoming.socket.remotePort);
          beforeHeaders(response, prepare);
          response.end(incoming.url);
        });
        for (const path of ['/1', '/2', '/3']) {
          const [response] = (await once(get(server.url + path, { agent }), 'response')) as [
            IncomingMessage,
          ];
          expect(await text(response)).to.equal(path);
        }
        agent.destroy();
        expect(ports.size).to.equal(1);
      });
    });
  }

  it('asks a writer to wait while it holds, and tells it when to go on', async () => {
    let ready: (outgoing: typeof OURS) => void = nothing;
    const { body } = await request((_, response) => {
      beforeHeaders(response, () => new Promise((resolve) => (ready = resolve)));
      expect(response.write('held ')).to.equal(false);
      response.once('drain', () => response.end('and gone on'));
      ready(OURS);
    });
    expect(body).to.equal('held and gone on');
  });

  it('changes nothing where there is nothing to add', async () => {
    const { headers, raw } = await request((_, response) => {
      beforeHeaders(response, () => ({ setCookie: [], headers: [] }));
      response.writeHead(200, ['X-One', '1', 'x-one', '2']);
      response.end();
    });
    expect(headers).not.to.have.property('set-cookie');
    expect(raw.slice(0, 4)).to.deep.equal(['X-One', '1', 'x-one', '2']);
  });

  it('survives a client that goes away while it holds', async () => {
    let ready: (outgoing: typeof OURS) => void = nothing;
    let outcome: (error: unknown) => void = nothing;
    const written = new Promise((resolve) => (outcome = resolve));
    server = await serve((_, response) => {
      beforeHeaders(response, () => new Promise((resolve) => (ready = resolve)));
      response.write('never read', outcome);
      response.end();
      response.once('close', () => ready(OURS));
      client.destroy();
    });
    const client = get(server.url);
    client.on('error', nothing);
    expect(await written).to.be.an('error');
  });

  it('ends a response whose held call is refused', async () => {
    server = await serve((_, response) => {
      beforeHeaders(response, () => Promise.resolve(OURS));
      response.end({} as never);
    });
    const [error] = (await once(get(server.url), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ECONNRESET');
  });
});
