import { Random, Weighted, zipf } from './random';
import type { RecordedOperation, Stall, Step, Wave, Workload } from './workload';

/** The most read first: a read is of the n-th as often as 1/n says. */
const TABLES = [
  'users',
  'posts',
  'profiles',
  'comments',
  'neighbourhoods',
  'memberships',
  'reactions',
  'media',
  'notifications',
  'threads',
  'messages',
  'follows',
  'blocks',
  'preferences',
  'badges',
  'events',
  'attendances',
  'listings',
  'offers',
  'places',
  'groups',
  'polls',
  'votes',
  'alerts',
  'mentions',
  'bookmarks',
  'reports',
  'devices',
  'invitations',
  'presences',
];

/** What mutations write, out of proportion to how often it is read. */
const WRITTEN: Readonly<Record<string, { readonly weight: number; readonly inserts: number }>> = {
  reactions: { weight: 22, inserts: 0.8 },
  comments: { weight: 17, inserts: 0.9 },
  messages: { weight: 16, inserts: 1 },
  notifications: { weight: 12, inserts: 0 },
  posts: { weight: 9, inserts: 0.7 },
  presences: { weight: 6, inserts: 0 },
  bookmarks: { weight: 4, inserts: 1 },
  follows: { weight: 4, inserts: 1 },
  votes: { weight: 3, inserts: 1 },
  profiles: { weight: 3, inserts: 0 },
  preferences: { weight: 2, inserts: 0 },
  memberships: { weight: 1, inserts: 0.6 },
  users: { weight: 1, inserts: 0 },
};

const ROWS = 1000;
const USERS = 240;
/** Of the actions of a user: the rest are page views. Gives 15 % of mutations with what follows them. */
const MUTATING = 0.23;
const ACTION_GAP_MS = 7000;
const LAG_MS = 20;
const STALL_GAP_MS = 7000;
const SHORTEST_STALL_MS = 1000;
const LONGEST_STALL_MS = 4000;

/** A social application for `seconds`: who asks for what and when, and how the replicas fare. */
export function recordSocial(seed: number, seconds: number): Workload {
  const random = new Random(seed);
  const drafts: Draft[] = [];
  for (let user = 1; user <= USERS; user++) {
    const member = new Member(user, random);
    let at = random.next() * ACTION_GAP_MS;
    while (at < seconds * 1000) {
      drafts.push(...(random.chance(MUTATING) ? member.changes(at) : member.views(at)));
      at += 300 + random.gap(ACTION_GAP_MS - 300);
    }
  }
  return {
    seed,
    seconds,
    users: USERS,
    rows: ROWS,
    tables: TABLES,
    lagMs: LAG_MS,
    stalls: [0, 1].flatMap((replica) => stallsOf(replica, seconds, random)),
    operations: inOrder(drafts.filter(({ at }) => at < seconds * 1000)),
  };
}

interface Draft extends Omit<RecordedOperation, 'after'> {
  readonly follows?: { readonly draft: Draft; readonly delay: number };
}

/** One user of the application. */
class Member {
  readonly #tables = new Weighted(zipf(TABLES.length));
  readonly #rows = new Weighted(zipf(ROWS));
  readonly #written = new Weighted(Object.values(WRITTEN).map(({ weight }) => weight));

  constructor(
    readonly user: number,
    private readonly random: Random,
  ) {}

  /** A page: one query, or two that the client sends at once. */
  views(at: number): Draft[] {
    const { random } = this;
    const pages = random.chance(0.4) ? 2 : 1;
    return Array.from({ length: pages }, (_, page) =>
      this.#query(at + page * random.integer(0, 30)),
    );
  }

  /** A mutation, and the queries by which the client looks at what has become of it. */
  changes(at: number): Draft[] {
    const { random } = this;
    const writes = [this.#write()];
    if (random.chance(0.3)) writes.push(this.#write());
    const waves: Wave[] = [
      // Who is it, and may they do that?
      [{ kind: 'row', table: 0, key: this.user }, ...this.#reads(0, 2)],
      ...writes.map((write): Wave => [write]),
    ];
    // The response shows what was written and what hangs on it; some say no more than "done".
    if (random.chance(0.85)) {
      waves.push([...writes.map((write) => this.#lookAt(write)), ...this.#reads(1, 3)]);
      if (random.chance(0.6)) waves.push(this.#reads(1, 4));
    }
    const mutation: Draft = { kind: 'mutation', user: this.user, at: whole(at), waves };
    const drafts = [mutation];
    const follow = (delay: number, shown: number) => {
      const looks = writes.filter(() => random.chance(shown)).map((write) => this.#lookAt(write));
      const query = this.#query(at + delay, looks);
      drafts.push({ ...query, follows: { draft: mutation, delay: whole(delay) } });
    };
    if (random.chance(0.7)) follow(3 + random.gap(60), 0.9);
    if (random.chance(0.45)) follow(300 + random.gap(1200), 0.6);
    return drafts;
  }

  #query(at: number, looks: readonly Step[] = []): Draft {
    const waves: Wave[] = [[...looks, ...this.#reads(1, 3)]];
    waves.push(this.#reads(1, 4));
    if (this.random.chance(0.5)) waves.push(this.#reads(1, 3));
    return { kind: 'query', user: this.user, at: whole(at), waves };
  }

  #reads(least: number, most: number): Step[] {
    return Array.from({ length: this.random.integer(least, most) }, () => this.#read());
  }

  #read(): Step {
    const table = this.#tables.draw(this.random);
    if (this.random.chance(0.3)) return { kind: 'list', table, key: 0 };
    return { kind: 'row', table, key: this.#key() };
  }

  #write(): Step {
    const name = Object.keys(WRITTEN)[this.#written.draw(this.random)] ?? '';
    const table = TABLES.indexOf(name);
    if (this.random.chance(WRITTEN[name]?.inserts ?? 0)) return { kind: 'insert', table, key: 0 };
    return { kind: 'update', table, key: this.#key() };
  }

  #lookAt({ kind, table, key }: Step): Step {
    return kind === 'insert' ? { kind: 'list', table, key: 0 } : { kind: 'row', table, key };
  }

  /** Half of the time one of their own, else one that many look at. */
  #key(): number {
    return this.random.chance(0.5) ? this.user : this.#rows.draw(this.random) + 1;
  }
}

/** Every replica has its own trouble, at its own times. */
function stallsOf(replica: number, seconds: number, random: Random): Stall[] {
  const stalls: Stall[] = [];
  for (let at = random.gap(STALL_GAP_MS); at < seconds * 1000; at += random.gap(STALL_GAP_MS)) {
    const ms = random.integer(SHORTEST_STALL_MS, LONGEST_STALL_MS);
    stalls.push({ replica, at: whole(at), ms });
    at += ms;
  }
  return stalls;
}

function inOrder(drafts: readonly Draft[]): RecordedOperation[] {
  const ordered = [...drafts].sort((one, other) => one.at - other.at);
  const indexes = new Map(ordered.map((draft, index) => [draft, index]));
  return ordered.map(({ follows, ...operation }) => {
    if (!follows) return operation;
    const after = { operation: indexes.get(follows.draft) ?? -1, delay: follows.delay };
    return { ...operation, after };
  });
}

function whole(ms: number): number {
  return Math.round(ms);
}
