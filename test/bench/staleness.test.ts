import { expect } from 'chai';
import { UserWrites, listShows, rowShows } from '../../bench/policies/staleness';

describe('what the policy bench calls stale', () => {
  it('is a read that shows less than its own operation has committed', () => {
    const operation = new UserWrites().begin();
    operation.wrote('posts.1', 5);
    const judge = operation.expect('posts.1', rowShows);
    expect(judge(4)).to.equal('stale');
    expect(judge(undefined)).to.equal('stale');
    expect(judge(5)).to.equal('fresh');
    expect(judge(6)).to.equal('fresh');
    expect(operation.expect('posts.2', rowShows)(0)).to.equal('fresh');
  });

  it('is judged by what was committed when the read was sent', () => {
    const operation = new UserWrites().begin();
    const judge = operation.expect('posts.1', rowShows);
    operation.wrote('posts.1', 5);
    expect(judge(4)).to.equal('fresh');
  });

  it('is a read that shows less than an operation whose response its user had before', () => {
    const user = new UserWrites();
    const before = user.begin();
    before.wrote('posts.1', 5);
    const meanwhile = user.begin();
    before.answer();
    const after = user.begin();
    expect(after.expect('posts.1', rowShows)(4)).to.equal('stale');
    expect(meanwhile.expect('posts.1', rowShows)(4)).to.equal('overlapping');
    expect(meanwhile.expect('posts.1', rowShows)(5)).to.equal('fresh');
  });

  it('never shrinks: the newest write counts, in whatever order answers come', () => {
    const user = new UserWrites();
    const [one, other] = [user.begin(), user.begin()];
    one.wrote('posts.1', 6);
    other.wrote('posts.1', 5);
    one.answer();
    other.answer();
    expect(user.begin().expect('posts.1', rowShows)(5)).to.equal('stale');
  });

  it('of a list: the row is not there, and not for newer ones that pushed it out', () => {
    const shows = listShows(3);
    expect(shows([9, 7, 5], 7)).to.equal(true);
    expect(shows([9, 6, 5], 7)).to.equal(false);
    expect(shows([5], 7)).to.equal(false);
    expect(shows([10, 9, 8], 7)).to.equal(true);
    expect(shows([10, 9], 7)).to.equal(false);
  });
});
