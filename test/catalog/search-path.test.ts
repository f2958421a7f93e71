import { expect } from 'chai';
import { defaultSchemaOf, parseSearchPath, searchPathOf } from '../../src/catalog/search-path';

describe('catalog: search path', () => {
  it('parses a setting', () => {
    expect(parseSearchPath('"$user", public', 'alice')).to.deep.equal(['alice', 'public']);
    expect(parseSearchPath('$user,Shop , "Big ""One"""', 'alice')).to.deep.equal([
      'alice',
      'shop',
      'Big "One"',
    ]);
    expect(parseSearchPath('"a, b", c', 'alice')).to.deep.equal(['a, b', 'c']);
    expect(parseSearchPath('', 'alice')).to.deep.equal([]);
    expect(parseSearchPath('""', 'alice')).to.deep.equal(['']);
  });

  const settings = {
    currentPath: ['pg_temp_3', 'pg_catalog', 'tenant'],
    defaultPath: '"$user", public',
    user: 'alice',
    replicationRole: 'origin',
  };
  const existing = new Set(['pg_catalog', 'tenant', 'public']);

  it('looks names up where new sessions do and where this one does', () =>
    expect(searchPathOf(settings, existing)).to.deep.equal(['pg_catalog', 'tenant', 'public']));

  it('takes the default schema from what new sessions have', () => {
    expect(defaultSchemaOf(settings, existing)).to.equal('public');
    expect(defaultSchemaOf(settings, new Set([...existing, 'alice']))).to.equal('alice');
    expect(defaultSchemaOf({ ...settings, defaultPath: 'pg_catalog' }, existing)).to.equal(
      'tenant',
    );
    expect(defaultSchemaOf(settings, new Set())).to.equal('public');
  });
});
