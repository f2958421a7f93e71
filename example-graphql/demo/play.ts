import { isDeepStrictEqual } from 'node:util';
import type { Player } from './players';
import type { Side, Stage } from './stage';
import type { Answer, Step } from './steps';

/** How a step went on one side. */
export interface Result {
  readonly side: string;
  readonly reads: ReadonlyMap<string, number>;
  readonly answers: number;
  readonly stale: number;
  /** The first error that an answer had. */
  readonly error: string | undefined;
}

export interface Outcome {
  readonly results: readonly Result[];
}

/** Plays a step on both sides, with every player in turn: nobody else writes meanwhile. */
export async function play(step: Step, stage: Stage): Promise<Outcome> {
  const results: Result[] = [];
  for (const side of stage.sides) {
    side.reads.take();
    let stale = 0;
    let error: string | undefined;
    for (const player of side.players) {
      const answer = await send(step, side, player);
      const truth = await stage.askPrimary(step.truth.sql, step.truth.values(player));
      error ??= answer.errors?.[0]?.message;
      if (!isDeepStrictEqual(answer.data && step.seen(answer.data), truth)) stale++;
    }
    const { name, players, reads } = side;
    results.push({ side: name, reads: reads.take(), answers: players.length, stale, error });
  }
  return { results };
}

async function send(step: Step, { example }: Side, player: Player): Promise<Answer> {
  const response = await fetch(`${example.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-user-handle': player.handle },
    body: JSON.stringify({ query: step.query, variables: step.variables(player) }),
  });
  return (await response.json()) as Answer;
}
