import { expect } from 'chai';
import type { Proof } from '../../src/operation';
import { pick, Process } from './process';
import { World, type Server } from './world';

/** What can happen. What is named twice happens twice as often. */
export const KINDS = [
  ...['commit', 'commit', 'write', 'flush', 'sample', 'ask', 'answer', 'hear', 'hear', 'replay'],
  ...['probe primary', 'probe primary', 'probe', 'probe', 'probe', 'replay all', 'round'],
  ...['tell', 'tell', 'tell', 'learn', 'learn', 'fall back', 'crash', 'lose', 'lose primary'],
  ...['promote', 'overtake', 'follow', 'reconnect', 'leave'],
] as const;

export interface Step {
  readonly kind: (typeof KINDS)[number];
  readonly process: number;
  readonly node: number;
  readonly part: number;
}

/** A token of one process: the place in the log that covers one commit. */
interface Told {
  readonly commit: number;
  readonly proof: Proof;
}

/** Several processes over one {@link World}, and the tokens that go from one to another. */
export class PlayProcesses {
  readonly world = new World(2);
  readonly processes: readonly Process[];
  readonly told: Told[] = [];

  constructor(visible = true) {
    const { replicas } = this.world;
    this.processes = [replicas, replicas, replicas.slice(1)].map(
      (some) => new Process(this.world, some, visible),
    );
  }

  step({ kind, process: number, node, part }: Step): void {
    const { world } = this;
    const process = this.processes[number % this.processes.length]!;
    const replica = process.replicas[node % process.replicas.length]!;
    switch (kind) {
      case 'commit':
        return process.commit();
      case 'write':
        return world.write(false);
      case 'flush':
        return world.flush();
      case 'replay':
        return world.replay(replica, part);
      case 'replay all':
        world.flush();
        return world.replay(replica, 1);
      case 'follow':
        return world.follow(replica);
      case 'sample':
        return process.ask('primary', process.primary);
      case 'ask':
        return process.ask(replica.name, replica);
      case 'answer':
        return process.answer(part);
      case 'hear':
        return process.hear(part);
      case 'probe primary':
        return process.probe('primary', process.primary);
      case 'probe':
        return process.probe(replica.name, replica);
      case 'round':
        return this.round(process);
      case 'tell': {
        const mark = pick(process.marks, part);
        const proof = mark && process.tell(mark);
        if (proof) this.told.push({ commit: mark.commit, proof });
        return;
      }
      case 'learn': {
        const told = pick(this.told, part);
        if (told) process.learn(told.commit, told.proof);
        return;
      }
      case 'fall back':
        return this.#fallBack(replica, part);
      case 'crash':
        return this.#crash(part);
      case 'lose':
        return process.lose(replica);
      case 'lose primary':
        return process.progress.lost('primary');
      case 'promote':
        // Rare, or nothing else happens.
        if (part > 0.7) world.promote(replica);
        return;
      case 'overtake':
        return this.#overtake(replica, part);
      case 'reconnect':
        return process.reconnect();
      case 'leave':
        if (part > 0.7) {
          process.progress.remove(replica.name);
          process.progress.add(replica.name);
        }
    }
  }

  /** Everything arrives everywhere, and `process` learns of it. */
  round(process: Process): void {
    const { world } = this;
    process.commit();
    world.flush();
    process.probe('primary', process.primary);
    for (const server of process.replicas) {
      world.replay(server, 1);
      process.probe(server.name, server);
    }
  }

  /** Nothing is claimed that is not so. */
  check(): void {
    const { world } = this;
    for (const process of this.processes) {
      for (const server of process.replicas) {
        // Nobody can read from the primary of before.
        if (world.old.includes(server)) continue;
        this.#checkTold(process, server);
        this.#checkMarks(process, server);
      }
    }
  }

  /** Tokens, also those that the process itself was not given. */
  #checkTold({ progress }: Process, server: Server): void {
    for (const { commit, proof } of this.told) {
      if (!this.#isMissing(commit, server)) continue;
      const what = `${commit}, told at ${proof.timeline}/${proof.position}`;
      if (progress.places.isPast(server.name, proof)) {
        expect.fail(`${server.name} is said to be past ${what}, and does not show it`);
      }
      if (progress.places.hasArrived(proof) && progress.serves(server.name)) {
        expect.fail(`${what}, is said to be everywhere, and ${server.name} serves without it`);
      }
    }
  }

  /** The same commits as the process counts them. */
  #checkMarks({ progress, marks }: Process, server: Server): void {
    for (const { commit, seq } of marks) {
      if (!this.#isMissing(commit, server)) continue;
      if (progress.shows(server.name, seq)) {
        expect.fail(`${server.name} is said to show ${commit} (here ${seq}), and does not`);
      }
      if (progress.expired(seq) && progress.serves(server.name)) {
        expect.fail(`${commit} (here ${seq}) has expired, and ${server.name} serves without it`);
      }
    }
  }

  /** What the primary itself does not have (any more) nobody can be asked for. */
  #isMissing(commit: number, server: Server): boolean {
    const { world } = this;
    return world.shows(world.primary, commit) && !world.shows(server, commit);
  }

  /** A standby's crash: some lose connections, the others hear of it from the next one they open. */
  #fallBack(server: Server, part: number): void {
    this.world.fallBack(server, part);
    this.processes.forEach((process, index) => {
      if (!process.replicas.includes(server)) return;
      if (isOneOf(part, index)) return process.lose(server);
      process.drop(server);
      process.probe(server.name, server);
    });
  }

  /** A standby takes over that has less than another one, which all have asked just now. */
  #overtake(server: Server, part: number): void {
    const { world } = this;
    const other = world.replicas.find((replica) => replica !== server)!;
    if (part < 0.5 || !server.standby || !other.standby) return;
    for (const process of this.processes) process.commit();
    world.write(false);
    world.flush();
    world.replay(other, 1);
    for (const process of this.processes) process.probe(other.name, other);
    world.promote(server);
  }

  /** Some notice at once, the others only by their next sample. */
  #crash(part: number): void {
    const { world, processes } = this;
    world.crash();
    processes.forEach((process, index) => {
      if (isOneOf(part, index)) process.lose(world.primary);
      else process.drop(world.primary);
    });
  }
}

/** One of the subsets of the processes, by a number from 0 to 1. */
function isOneOf(part: number, index: number): boolean {
  return ((Math.floor(part * 1000) >> index) & 1) === 1;
}
