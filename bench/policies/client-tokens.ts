/** The session tokens that the client of one user holds, as cookies of changing names would. */
export class ClientTokens {
  readonly #held = new Set<string>();

  /** Sends a request with all tokens and takes the one of the response, in the place of those sent. */
  async exchange(
    request: (tokens: readonly string[]) => Promise<string | undefined>,
  ): Promise<void> {
    const sent = [...this.#held];
    const received = await request(sent);
    // Others may have come with responses that overtook this one: they stay.
    for (const token of sent) this.#held.delete(token);
    if (received !== undefined) this.#held.add(received);
  }
}
