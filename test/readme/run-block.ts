import ts from 'typescript';

/** Runs a TypeScript block as a module of its own: `modules` are what it may import. */
export async function runBlock(
  block: string,
  modules: Readonly<Record<string, object>>,
  free: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { outputText } = ts.transpileModule(block, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const require = (name: string): object => {
    const found = modules[name];
    if (!found) throw new Error(`the block imports ${name}, which the test has to provide`);
    return found;
  };
  const names = ['require', 'exports', ...Object.keys(free)];
  // A module of the kind that may await, which no function constructor within reach of types makes.
  const AsyncFunction = (async () => undefined).constructor as new (
    ...parts: string[]
  ) => (...args: unknown[]) => Promise<void>;
  await new AsyncFunction(...names, outputText)(require, {}, ...Object.values(free));
}
