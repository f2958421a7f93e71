/** The words of the seed: the n-th name, question or reply is the same at every start. */

const FIRST = ['Ada', 'Ben', 'Cleo', 'Dina', 'Emil', 'Fay', 'Gus', 'Hana', 'Ivo', 'June'];
const LAST = ['Ash', 'Birch', 'Cedar', 'Elm', 'Fir', 'Hazel', 'Larch', 'Maple', 'Oak', 'Pine'];
const PLACE = ['Street', 'Square', 'Lane', 'Hill'];
const THING = ['ladder', 'drill', 'tent', 'bicycle pump', 'bread oven', 'projector', 'wheelbarrow'];
const OPENING = [
  'Who can lend me a',
  'Giving away a',
  'Found on the corner: a',
  'Looking for somebody to share a',
  'How do you repair a',
];
const REPLY = [
  'Try number twelve, they know.',
  'I have one, come by after six.',
  'Same question here.',
  'Gone already, sorry.',
  'Thanks, that helped.',
  'On Saturday the whole street will be out.',
];

export function nameOf(index: number): string {
  const round = Math.floor(index / (FIRST.length * LAST.length));
  const last = at(LAST, Math.floor(index / FIRST.length));
  return `${at(FIRST, index)} ${last}${'son'.repeat(round)}`;
}

/** Different for every index: `ada_ash`, later `ada_ashson`. */
export function handleOf(index: number): string {
  return nameOf(index).toLowerCase().replace(' ', '_');
}

export function placeOf(index: number): string {
  const round = Math.floor(index / LAST.length);
  return `${at(LAST, index)} ${at(PLACE, round)}`;
}

export function slugOf(index: number): string {
  return placeOf(index).toLowerCase().replace(' ', '-');
}

export function questionOf(index: number): string {
  return `${at(OPENING, index)} ${at(THING, Math.floor(index / OPENING.length))} (${index + 1})`;
}

export function bodyOf(index: number): string {
  return `Ring the bell of house ${(index % 40) + 1}, or answer below.`;
}

export function replyOf(index: number): string {
  return at(REPLY, index);
}

function at(words: readonly string[], index: number): string {
  return words[index % words.length] ?? '';
}
