import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { Program } from '../example/program';
import { Clone } from '../readme/clone';
import { makeUserProject } from '../readme/user-project';

const REPLICATION = `
import { Sequelize } from 'sequelize';
import { freshReads, type PoolSettings, type TokenCounts } from 'sequelize-fresh-reads';
export const sequelize = new Sequelize({
  dialect: 'postgres',
  replication: {
    write: { host: 'primary', pool: { max: 20 } },
    read: [
      { host: 'a', weight: 2 },
      { host: 'b', name: 'b', pool: { max: 20, min: 1 }, dialectOptions: { ssl: true } },
    ],
  },
});
export const reads = freshReads(sequelize);
reads.addReplica({ host: 'c', name: 'c', weight: 2, pool: { maxUses: 5 } });
export const tokens: TokenCounts = reads.status().tokens;
export const pool: Partial<PoolSettings> = { max: 5 };
// @ts-expect-error: a weight is a number
sequelize.options.replication = { write: {}, read: [{ weight: '2' }] };
`;

/** Ways to compile for users of the package. */
const WAYS = [
  {
    name: 'ES modules and CommonJS with moduleResolution nodenext',
    options: { module: 'nodenext' },
    files: ['esm.mts', 'commonjs.cts'],
  },
  {
    name: 'CommonJS with the older moduleResolution node10',
    options: { module: 'commonjs', moduleResolution: 'node10' },
    files: ['older.ts'],
  },
];

describe('the declarations of the package, as it is packed', function () {
  this.timeout(180_000);
  const folders: string[] = [];
  const folder = () => {
    const made = mkdtempSync(path.join(tmpdir(), 'fresh-reads-declarations-'));
    folders.push(made);
    return made;
  };
  let project = '';

  before(async () => {
    project = folder();
    const tarball = await new Clone(folder()).tarball();
    await makeUserProject(project, tarball, ['sequelize', 'pg', '@types/node']);
  });

  after(() => {
    for (const made of folders) rmSync(made, { recursive: true, force: true });
  });

  it('point to no source that is not there', () => {
    const dist = path.join(project, 'node_modules/sequelize-fresh-reads/dist');
    const shipped = readdirSync(dist, { recursive: true, encoding: 'utf8' });
    expect(shipped).to.include('index.d.ts');
    expect(shipped.filter((file) => file.endsWith('.d.ts.map'))).to.deep.equal([]);
  });

  for (const { name, options, files } of WAYS) {
    it(`let entries of replication have a name, a weight and a pool: ${name}`, async () => {
      for (const file of files) writeFileSync(path.join(project, file), REPLICATION);
      const config = {
        compilerOptions: {
          ...options,
          target: 'ES2022',
          strict: true,
          skipLibCheck: true,
          noEmit: true,
          types: ['node'],
        },
        files,
      };
      writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify(config));
      const compiler = [process.execPath, require.resolve('typescript/bin/tsc')] as const;
      const program = new Program([...compiler, '--pretty', 'false', '-p', project], {}, project);
      const status = await program.end();
      expect(program.out + program.err).to.equal('');
      expect(status).to.equal(0);
    });
  }
});
