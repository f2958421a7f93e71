import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ClusterError } from '../errors';
import { until, settlesWithin } from './poll';
import { processTable } from './processes';
import { serverEnvironment, type RunAs } from './run';

/** A server could not start because somebody else listens on its port. */
export class PortTakenError extends ClusterError {}

/** How long a fast shutdown may take before an immediate one is asked for, in milliseconds. */
const fastShutdownMs = 5_000;

/** How long an immediate shutdown may take before the processes are killed, in milliseconds. */
const immediateShutdownMs = 10_000;

/** One server process (a postmaster with its children) on one data directory. */
export class Server {
  #child: ChildProcess | undefined;
  #exit: Promise<unknown> = Promise.resolve();
  #frozen = false;

  constructor(
    private readonly program: string,
    private readonly dataDir: string,
    private readonly logFile: string,
    private readonly runAs: RunAs | undefined,
  ) {}

  get running(): boolean {
    return this.#alive();
  }

  get frozen(): boolean {
    return this.#frozen && this.running;
  }

  /**
   * Starts the server; resolves once it accepts connections.
   * @throws ClusterError with the end of its log when it does not come up.
   */
  async start(name: string): Promise<void> {
    if (this.running) return;
    const logStart = this.#spawn(name);
    try {
      await Promise.race([
        until(
          () => `${name} accepts connections; the end of its log:\n${this.#logTail(logStart)}`,
          () => !this.#alive() || this.#acceptsConnections(),
        ),
        this.#exit,
      ]);
    } catch (error) {
      await this.kill();
      throw error;
    }
    if (!this.#alive()) {
      const tail = this.#logTail(logStart);
      const Failure = tail.includes('Address already in use') ? PortTakenError : ClusterError;
      throw new Failure(`${name} did not start; the end of its log:\n${tail}`);
    }
  }

  /** Shuts the server down: `fast` with a checkpoint, `immediate` without. Resolves once it is gone. */
  async stop(mode: 'fast' | 'immediate'): Promise<void> {
    if (!this.running) return;
    this.thaw();
    if (mode === 'fast' && (await this.#end('SIGINT', fastShutdownMs))) return;
    if (await this.#end('SIGQUIT', immediateShutdownMs)) return;
    await this.kill();
  }

  /** Ends all its processes at once, as a crash of its machine would. Resolves once they are gone. */
  async kill(): Promise<void> {
    if (!this.running) return;
    // Stopped first, the postmaster can't start another child between the look and the kill, and
    // its ended children keep their ids until it is gone: nobody else's process can have one.
    for (const pid of await this.#halt()) signal(pid, 'SIGKILL');
    await until('its children have ended', () => this.#childrenAre('Z'));
    await this.#end('SIGKILL');
  }

  /** Stops all its processes where they stand (SIGSTOP): connections stay open and hang. */
  async freeze(): Promise<void> {
    if (!this.running || this.#frozen) return;
    this.#frozen = true;
    for (const pid of await this.#halt()) signal(pid, 'SIGSTOP');
    await until('its children have stopped', () => this.#childrenAre('TZ'));
  }

  /** Lets a frozen server go on (SIGCONT). */
  thaw(): void {
    if (!this.frozen) return;
    for (const pid of this.#children()) signal(pid, 'SIGCONT');
    this.#child?.kill('SIGCONT');
    this.#frozen = false;
  }

  /** Starts the process; gives the size its log had before. */
  #spawn(name: string): number {
    const log = openSync(this.logFile, 'a');
    try {
      const logStart = fstatSync(log).size;
      // A session of its own: Ctrl-C in the terminal is the host's to handle, not the server's.
      const child = spawn(this.program, ['-D', this.dataDir], {
        ...this.runAs,
        cwd: '/',
        env: serverEnvironment(),
        detached: true,
        stdio: ['ignore', log, log],
      });
      child.unref();
      this.#child = child;
      this.#frozen = false;
      this.#exit = once(child, 'exit').catch((cause: unknown) => {
        throw new ClusterError(`${name} could not start ${this.program}`, { cause });
      });
      // Whoever waits for the end hears of it; a server nobody waits for must not end the host.
      this.#exit.catch(() => undefined);
      return logStart;
    } finally {
      closeSync(log);
    }
  }

  #alive(): boolean {
    const child = this.#child;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Stops the postmaster and gives its children: from here on it starts no other. */
  async #halt(): Promise<number[]> {
    this.#child?.kill('SIGSTOP');
    const pid = this.#child?.pid;
    await until(
      'the postmaster has stopped',
      () => !this.running || processTable().some((p) => p.pid === pid && 'TZ'.includes(p.state)),
    );
    return this.#children();
  }

  #children(): number[] {
    const parent = this.#child?.pid;
    return processTable().flatMap((entry) => (entry.parent === parent ? [entry.pid] : []));
  }

  #childrenAre(states: string): boolean {
    const parent = this.#child?.pid;
    return processTable().every((p) => p.parent !== parent || states.includes(p.state));
  }

  /** Sends a signal to the postmaster; resolves with whether it ended within `timeoutMs`. */
  async #end(name: NodeJS.Signals, timeoutMs?: number): Promise<boolean> {
    // Waiting for the end has to keep the host awake, which a running server does not.
    this.#child?.ref();
    this.#child?.kill(name);
    try {
      if (timeoutMs !== undefined) return await settlesWithin(this.#exit, timeoutMs);
      await this.#exit;
      return true;
    } finally {
      this.#child?.unref();
    }
  }

  #acceptsConnections(): boolean {
    try {
      const lines = readFileSync(path.join(this.dataDir, 'postmaster.pid'), 'utf8').split('\n');
      return Number(lines[0]) === this.#child?.pid && lines[7]?.trim() === 'ready';
    } catch {
      return false;
    }
  }

  #logTail(from: number): string {
    const text = readFileSync(this.logFile).subarray(from).toString();
    return text.trim().split('\n').slice(-15).join('\n');
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
