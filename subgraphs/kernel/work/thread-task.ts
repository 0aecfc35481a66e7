/** An exported function of a module, which a worker thread imports and runs. Its input and its value are copied between the threads. */
export interface ThreadTask<Input, Value> {
  readonly module: string
  readonly name: string
  /** Only for the compiler. */
  readonly types?: (input: Input) => Value
}

/**
 * Names a function of a module beside the file `importer`, such as `threadTask<typeof priceList>(import.meta.url, './price-list',
 * 'priceList')`. The module is loaded in the thread only. A thread runs TypeScript without compiling it, so the module and what it
 * imports must not use decorators or other syntax with a meaning at run time.
 */
export const threadTask = <Task extends (input: never) => unknown>(
  importer: string,
  module: string,
  name: string,
): ThreadTask<Parameters<Task>[0], Awaited<ReturnType<Task>>> => ({
  module: new URL(`${module}${importer.slice(-3)}`, importer).href,
  name,
})
