import { envelop } from '@envelop/core';
import type { Plugin as EnvelopPlugin } from '@envelop/core';
import { expect } from 'chai';
import { createYoga, type Plugin as YogaPlugin } from 'graphql-yoga';
import type { FreshReadsEnvelopPlugin } from '../../src/envelop';

/** Checked by the compiler: the plugin fits either list of plugins, also where the context is typed. */
function fits(plugin: FreshReadsEnvelopPlugin): object[] {
  const forEnvelop: EnvelopPlugin = plugin;
  const forTypedEnvelop: EnvelopPlugin<{ user: string }> = plugin;
  const forYoga: YogaPlugin = plugin;
  const forTypedYoga: YogaPlugin<{ user: string }, { req: string }> = plugin;
  return [forEnvelop, forTypedEnvelop, forYoga, forTypedYoga];
}

describe('the type of the plugin for Envelop', () => {
  it('is one that Envelop and Yoga take', () => {
    const plugin: FreshReadsEnvelopPlugin = {
      onSchemaChange: () => undefined,
      onExecute: () => undefined,
      onSubscribe: () => undefined,
      onRequest: () => undefined,
      onDispose: () => undefined,
    };
    expect(fits(plugin)).to.have.length(4);
    expect(envelop({ plugins: [plugin] })).to.be.a('function');
    expect(createYoga({ plugins: [plugin], logging: false })).to.be.a('function');
  });
});
