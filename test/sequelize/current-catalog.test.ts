import { expect } from 'chai';
import { CurrentCatalog } from '../../src/sequelize/current-catalog';

const SETTINGS = JSON.stringify([
  { currentPath: ['public'], defaultPath: 'public', user: 'me', replicationRole: 'origin' },
]);

/** A database without a single table. */
function emptyDatabase(sql: string) {
  if (sql.includes('AS fingerprint')) return Promise.resolve([{ fingerprint: '1' }]);
  return Promise.resolve([{ part: sql.includes('replicationRole') ? SETTINGS : '[]' }]);
}

describe('the catalog in use', () => {
  it('is read again for whoever asks at the very moment that a reading is over', async () => {
    let readings = 0;
    let asked: Promise<void> | undefined;
    const catalog: CurrentCatalog = new CurrentCatalog({
      query: emptyDatabase,
      relatedTables: {},
      warn: (message) => expect.fail(message),
      onUse: () => {
        readings++;
        if (readings > 1) return;
        queueMicrotask(() => {
          asked = catalog.reload();
        });
      },
      onForeignChange: () => undefined,
    });
    await catalog.reload();
    await asked;
    expect(readings).to.equal(2);
    await catalog.close();
  });

  it('is read again, once, for all who ask while a reading is under way', async () => {
    let readings = 0;
    const catalog = new CurrentCatalog({
      query: emptyDatabase,
      relatedTables: {},
      warn: (message) => expect.fail(message),
      onUse: () => {
        readings++;
      },
      onForeignChange: () => undefined,
    });
    await Promise.all([catalog.reload(), catalog.reload(), catalog.reload()]);
    expect(readings).to.equal(2);
    await catalog.close();
  });
});
