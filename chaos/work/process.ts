/** The second process of a run: clients of its own, told what to do by the first. */
import type { HistoryEvent } from '../history';
import { loadPackage } from './package';
import { Party, type PartyOptions } from './party';
import { messageOf } from './recorder';

export type ToChild =
  | { readonly type: 'start'; readonly folder: string; readonly options: PartyOptions }
  | { readonly type: 'stop' };

export type FromChild =
  | { readonly type: 'events'; readonly events: readonly HistoryEvent[] }
  | { readonly type: 'done'; readonly what: ToChild['type']; readonly error?: string };

const FLUSH_MS = 20;

let waiting: HistoryEvent[] = [];
let party: Party | undefined;

function send(message: FromChild): void {
  process.send?.(message);
}

/** Many at a time: a message each would be most of the work. */
function flush(): void {
  if (waiting.length === 0) return;
  send({ type: 'events', events: waiting });
  waiting = [];
}

async function handle(message: ToChild): Promise<void> {
  switch (message.type) {
    case 'start':
      party = new Party(await loadPackage(message.folder), message.options, (event) => {
        waiting.push(event);
      });
      await party.start();
      setInterval(flush, FLUSH_MS).unref();
      return;
    case 'stop':
      await party?.stop();
  }
}

process.on('message', (message: ToChild) => {
  handle(message)
    .then(
      () => undefined,
      (error: unknown) => messageOf(error),
    )
    .then((error) => {
      flush();
      send({ type: 'done', what: message.type, ...(error !== undefined && { error }) });
      if (message.type === 'stop') process.disconnect();
    }, console.error);
});

// The first process is gone: there is nobody to tell.
process.on('disconnect', () => process.exit());
