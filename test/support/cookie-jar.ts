/**
 * What a browser keeps: the cookies of one host, by name. Attributes count as far as tests need them:
 * `Max-Age` of zero deletes, and `Secure` is noted.
 */
export class CookieJar {
  readonly #cookies = new Map<string, string>();
  /** Every `Set-Cookie` that came, whole. */
  readonly received: string[] = [];

  get names(): string[] {
    return [...this.#cookies.keys()];
  }

  get values(): string[] {
    return [...this.#cookies.values()];
  }

  take(setCookies: readonly string[]): void {
    for (const line of setCookies) {
      this.received.push(line);
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const at = pair.indexOf('=');
      const name = pair.slice(0, at);
      if (attributes.some((attribute) => /^max-age=0$/i.test(attribute))) {
        this.#cookies.delete(name);
      } else this.#cookies.set(name, pair.slice(at + 1));
    }
  }

  set(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  /** As the header `Cookie`; `{}` when there is none to send. */
  headers(): { cookie?: string } {
    const pairs = [...this.#cookies].map(([name, value]) => `${name}=${value}`);
    return pairs.length > 0 ? { cookie: pairs.join('; ') } : {};
  }
}
