/** The second process of a run: clients of its own, told what to do by the first. */
import type { HistoryEvent } from '../history';
import { hushSequelize } from './hush';
import { loadPackage } from './package';
import { Party, type PartyOptions } from './party';
import { messageOf } from './recorder';
import type { VisitOutcome, VisitPlan } from './visit';

/** What it is told, with a number that the answer carries. */
export type ToChild = { readonly id: number } & (
  | { readonly type: 'start'; readonly folder: string; readonly options: PartyOptions }
  | { readonly type: 'visit'; readonly plan: VisitPlan }
  | { readonly type: 'stop' }
);

export type FromChild =
  | { readonly type: 'events'; readonly events: readonly HistoryEvent[] }
  | { readonly type: 'done'; readonly id: number; readonly result?: VisitOutcome | undefined }
  | { readonly type: 'failed'; readonly id: number; readonly error: string };

hushSequelize();

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

async function handle(message: ToChild): Promise<VisitOutcome | undefined> {
  switch (message.type) {
    case 'start':
      party = new Party(await loadPackage(message.folder), message.options, (event) => {
        waiting.push(event);
      });
      await party.start();
      setInterval(flush, FLUSH_MS).unref();
      return undefined;
    case 'visit':
      return party?.visit(message.plan);
    case 'stop':
      await party?.stop();
      return undefined;
  }
}

process.on('message', (message: ToChild) => {
  const { id } = message;
  handle(message)
    .then(
      (result): FromChild => ({ type: 'done', id, result }),
      (error: unknown): FromChild => ({ type: 'failed', id, error: messageOf(error) }),
    )
    .then((answer) => {
      // What has happened is told before what follows from it.
      flush();
      send(answer);
      if (message.type === 'stop') process.disconnect();
    }, console.error);
});

// The first process is gone: there is nobody to tell.
process.on('disconnect', () => process.exit());
