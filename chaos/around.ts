import type { Violation } from './violation';
import type { HistoryEvent, Register } from './history';

/** The events that a violation follows from, in their order, and no others. */
export function historyAround(
  history: readonly HistoryEvent[],
  violation: Violation,
): HistoryEvent[] {
  const { id, write, shownBy, register } = violation;
  const named = new Set([id, write, shownBy].filter((name) => name !== undefined));
  const places = history.flatMap((event, index) =>
    'id' in event && named.has(event.id) ? [index] : [],
  );
  const first = places[0] ?? 0;
  const last = places.at(-1) ?? history.length - 1;
  const span = history.slice(first, last + 1);
  const chain = sessionChain(history, span, named);
  const others = new Set(
    span.flatMap((event) =>
      event.type === 'write' && register !== undefined && touches(event, register)
        ? [event.id]
        : [],
    ),
  );
  const faults = faultsDuring(history, first, last);
  return history.filter((event, index) => {
    switch (event.type) {
      case 'fault':
        return faults.has(event.id) && index <= last;
      case 'final':
        return violation.kind === 'lost';
      case 'operation':
        return chain.has(event.operation);
      case 'token':
      case 'ended':
        return chain.has(event.operation) && index >= first && index < last;
      case 'write':
      case 'answered':
      case 'written':
        return named.has(event.id) || others.has(event.id);
      case 'read':
      case 'got':
      case 'failed':
        return named.has(event.id);
    }
  });
}

function touches(
  { sets, removes }: { sets: readonly Register[]; removes?: readonly Register[] },
  register: Register,
): boolean {
  return sets.includes(register) || removes?.includes(register) === true;
}

/** The operations of the events, and those through which their session was handed on. */
function sessionChain(
  history: readonly HistoryEvent[],
  span: readonly HistoryEvent[],
  named: ReadonlySet<string>,
): Set<string> {
  const operations = new Set<string>();
  for (const event of span) {
    if ('id' in event && named.has(event.id) && 'operation' in event && event.operation) {
      operations.add(event.operation);
    }
  }
  const sessions = new Set<string>();
  for (const event of history) {
    if (event.type === 'operation' && event.session && operations.has(event.operation)) {
      sessions.add(event.session);
    }
  }
  for (const event of span) {
    if (event.type === 'token' && sessions.has(event.session)) operations.add(event.operation);
  }
  return operations;
}

/** Faults that were at work at some time between two places. */
function faultsDuring(history: readonly HistoryEvent[], first: number, last: number): Set<string> {
  const during = new Set<string>();
  history.slice(0, last + 1).forEach((event, index) => {
    if (event.type !== 'fault') return;
    if (event.state === 'begins') during.add(event.id);
    else if (index < first) during.delete(event.id);
  });
  return during;
}
