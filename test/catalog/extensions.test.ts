import { expect } from 'chai';
import { ACTS, builtinEffect, HARMLESS, HIDDEN, PRIMARY_ONLY } from '../../src/catalog/builtin';
import { extensionEffect } from '../../src/catalog/extensions';

describe('catalog: functions that can not be read', () => {
  it('trusts well-known extensions by name', () => {
    expect(extensionEffect('pg_trgm', 'similarity')).to.equal(HARMLESS);
    expect(extensionEffect('moddatetime', 'moddatetime')).to.equal(HARMLESS);
    expect(extensionEffect('postgis', 'st_transform')?.reads).to.deep.equal(['spatial_ref_sys']);
    expect(extensionEffect('lo', 'lo_manage')?.writes).to.deep.equal(['pg_largeobject']);
  });

  it('judges single functions of an extension apart', () => {
    expect(extensionEffect('tablefunc', 'crosstab')).to.equal(HIDDEN);
    expect(extensionEffect('tablefunc', 'normal_rand')).to.equal(HARMLESS);
    expect(extensionEffect('xml2', 'xpath_table')).to.equal(HIDDEN);
    expect(extensionEffect('pg_stat_statements', 'pg_stat_statements')).to.equal(PRIMARY_ONLY);
    expect(extensionEffect('pg_stat_statements', 'pg_stat_statements_reset')).to.equal(ACTS);
  });

  it('knows nothing of others', () => {
    expect(extensionEffect('dblink', 'dblink')).to.equal(undefined);
    expect(extensionEffect('somebody_elses', 'f')).to.equal(undefined);
  });

  it('takes a volatile function of a newer server for one that acts', () => {
    expect(builtinEffect('pg_not_invented_yet', true)).to.equal(ACTS);
    expect(builtinEffect('pg_not_invented_yet', false)).to.equal(HARMLESS);
    expect(builtinEffect('pg_stat_get_activity', false)).to.equal(PRIMARY_ONLY);
    expect(builtinEffect('now', false)).to.equal(HARMLESS);
  });
});
