import type { HistoryEvent, Register, Seen } from './history';

/** One event as a line: time since `from`, process and operation, and what happened. */
export function describeEvent(
  event: HistoryEvent,
  from: number,
  register: Register | undefined,
): string {
  const time = `${((event.at - from) / 1000).toFixed(3)} s`.padStart(10);
  return `${time}  ${placeOf(event).padEnd(14)}${textOf(event, register)}`;
}

function placeOf(event: HistoryEvent): string {
  if (event.type === 'fault') return event.node;
  if (event.type === 'final') return '';
  const operation = 'operation' in event ? event.operation : undefined;
  return operation === undefined ? event.process : `${event.process} ${operation}`;
}

function textOf(event: HistoryEvent, register: Register | undefined): string {
  switch (event.type) {
    case 'operation':
      return event.session === undefined
        ? 'operation begins'
        : `operation begins with the token of session ${event.session}`;
    case 'ended':
      return 'operation ends';
    case 'token':
      return `token of session ${event.session} taken`;
    case 'write': {
      const rows = register === undefined ? event.sets : [register];
      const gone = register !== undefined && event.removes?.includes(register);
      return `${event.id} writes${gone ? ' (removes)' : ''} version ${event.version} of ${rows.join(', ')}: ${event.what}${inside(event)}`;
    }
    case 'answered':
      return `${event.id} answered, its transaction is open`;
    case 'written':
      return `${event.id} ${event.outcome}${event.error === undefined ? '' : `: ${event.error}`}`;
    case 'read':
      return `${event.id} reads ${register ?? event.of.join(', ')}: ${event.what}${inside(event)}`;
    case 'got': {
      const by = event.by.length === 0 ? 'a cache' : event.by.join(', ');
      return `${event.id} got ${valuesOf(event.values, register)} from ${by}`;
    }
    case 'failed':
      return `${event.id} failed (${event.by.join(', ')}): ${event.error}`;
    case 'fault':
      return `${event.what} ${event.state}`;
    case 'final':
      return `in the end: ${valuesOf(event.values, register)}`;
  }
}

function inside({ transaction }: { transaction?: string }): string {
  return transaction === undefined ? '' : ` (in ${transaction})`;
}

function valuesOf(
  values: Readonly<Record<Register, Seen>>,
  register: Register | undefined,
): string {
  if (register === undefined) return `${Object.keys(values).length} rows`;
  const value = values[register] ?? null;
  return value === null ? 'no row' : `version ${String(value)}`;
}
