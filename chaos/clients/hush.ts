const EXPECTED = /^(Committing|Rolling back) transaction \S+ failed/;

/** Sequelize tells the console of each transaction whose connection died: here they die by the dozen. */
export function hushSequelize(): void {
  const { warn } = console;
  console.warn = (...message: unknown[]) => {
    if (typeof message[0] === 'string' && EXPECTED.test(message[0])) return;
    warn(...message);
  };
}
