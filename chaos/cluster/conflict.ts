/** Replay cancels what is in its way, our own questions too: then a deed is done by halves. */
export function isConflict(error: unknown): boolean {
  return (error as { code?: unknown }).code === '40001';
}

/** Does again what replay was in the way of: for deeds that must not stay half done. */
export async function despiteConflicts(deed: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await deed();
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}
