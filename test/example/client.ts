/** A decision as the example shows it to clients. */
export interface ShownDecision {
  readonly tables: readonly string[];
  readonly target: 'primary' | 'replica';
  readonly node: string;
  readonly reason: string;
  readonly resolver?: string;
}

export interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly { message: string; extensions: { code: string } }[];
  readonly extensions?: { freshReads?: { decisions: readonly ShownDecision[] } };
}

export interface Question {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** Asks a running example over HTTP. */
export class Client {
  constructor(readonly url: string) {}

  async ask(query: string, variables?: Question['variables'], headers = {}): Promise<Answer> {
    return (await this.#post({ query, variables }, headers)) as Answer;
  }

  /** Several operations in one request. */
  async batch(questions: readonly Question[]): Promise<readonly Answer[]> {
    return (await this.#post(questions, {})) as Answer[];
  }

  async #post(body: unknown, headers: Record<string, string>): Promise<unknown> {
    const response = await fetch(`${this.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return response.json();
  }
}

/** The value at a path such as `post.comments.-1.body` (the last one) or `users.*.id` (all of them). */
export function at(value: unknown, path: string): unknown {
  const [key = '', ...rest] = path.split('.');
  const below = rest.join('.');
  if (Array.isArray(value) && key === '*') {
    return value.map((item: unknown) => (below === '' ? item : at(item, below)));
  }
  const found: unknown = Array.isArray(value)
    ? value.at(Number(key))
    : (value as Record<string, unknown> | null | undefined)?.[key];
  return below === '' ? found : at(found, below);
}

export function decisionsOf(answer: Answer): readonly ShownDecision[] {
  return answer.extensions?.freshReads?.decisions ?? [];
}
