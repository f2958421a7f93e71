import { expect } from 'chai';
import { ClientTokens } from '../../bench/policies/client-tokens';

describe('the tokens that a client of the policy bench holds', () => {
  const held = async (client: ClientTokens) => {
    let sent: readonly string[] = [];
    await client.exchange(async (tokens) => {
      sent = tokens;
      return tokens[0];
    });
    return sent;
  };

  it('are replaced by what comes back, and dropped when nothing does', async () => {
    const client = new ClientTokens();
    await client.exchange(async () => 'one');
    await client.exchange(async () => 'two');
    expect(await held(client)).to.deep.equal(['two']);
    await client.exchange(async () => undefined);
    expect(await held(client)).to.deep.equal([]);
  });

  it('are all kept when responses to requests sent at once come in any order', async () => {
    const client = new ClientTokens();
    await client.exchange(async () => 'before');
    let answerFirst: (token: string) => void = () => undefined;
    const first = client.exchange(() => new Promise((resolve) => (answerFirst = resolve)));
    await client.exchange(async () => 'second');
    answerFirst('first');
    await first;
    let sent: readonly string[] = [];
    await client.exchange(async (tokens) => {
      sent = tokens;
      return undefined;
    });
    expect([...sent].sort()).to.deep.equal(['first', 'second']);
  });
});
