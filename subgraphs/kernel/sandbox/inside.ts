import type { Limits } from './limits.ts'

/** Functions of the child that enter the isolate. They take and return texts and numbers only. */
export interface HostFunctions {
  readonly log: (level: string, text: string) => void
  readonly dropped: (count: number) => void
  readonly call: (id: number, kind: string, json: string) => void
  readonly wait: (id: number, ms: number) => void
  readonly ended: (status: 'SUCCEEDED' | 'FAILED', json: string, dropped: number) => void
  readonly url: (href: string, base: string, part: string, value: string) => string
  readonly uuid: () => string
}

/** The functions that the child calls; it holds them by references that stay outside. */
export interface Inside {
  /** Before the module is loaded. */
  readonly begin: (input: string, context: string, loadOnly: boolean) => void
  readonly deliver: (id: number, isError: boolean, json: string) => void
}

export interface InsideParts {
  readonly define: (name: string, build: () => unknown) => void
  readonly call: (kind: string, args: readonly unknown[]) => Promise<unknown>
  readonly parseUrl: HostFunctions['url']
  readonly uuid: HostFunctions['uuid']
}

/**
 * Runs inside the isolate, from the text of this function, before the program: it must not use anything of this file. It keeps the built-in
 * functions that it needs, because the program may replace them, and counts logs and calls where the program cannot reach the counters.
 */
export function inside(
  host: HostFunctions,
  limits: Limits,
  web: (parts: InsideParts) => (answer: Promise<unknown>) => Promise<unknown>,
  text: (parts: Pick<InsideParts, 'define'>) => void,
): Inside {
  const { parse, stringify } = JSON
  const { apply, defineProperty } = Reflect
  const PromiseOf = Promise
  const ErrorOf = Error
  const TextOf = String
  const NumberOf = Number
  const { then } = Promise.prototype
  const { slice } = String.prototype
  const { get: mapGet, set: mapSet, delete: mapDelete } = Map.prototype
  const ErrorPrototype = Error.prototype
  const { isPrototypeOf } = Object.prototype

  const cut = (text: string, length: number): string =>
    text.length > length ? (apply(slice, text, [0, length]) as string) : text
  const isError = (value: unknown): value is Error => apply(isPrototypeOf, ErrorPrototype, [value]) as boolean

  /** Reads a thrown value, whose getters and traps may throw. */
  const read = (
    value: unknown,
    name: 'name' | 'message' | 'stack',
    otherwise: string,
    max: number = limits.errorMax,
  ): string => {
    try {
      const text = (value as Record<string, unknown>)[name]
      return typeof text === 'string' ? cut(text, max) : otherwise
    } catch {
      return otherwise
    }
  }
  const textOf = (value: unknown): string => {
    try {
      if (typeof value === 'string') return value
      if (typeof value === 'object' && value !== null) {
        // Only the end of a line of the log may be cut, because what is cut elsewhere may be half a secret, which nothing recognizes.
        if (isError(value)) {
          const max = limits.logCharactersMax
          return read(value, 'stack', read(value, 'message', 'Error', max), max)
        }
        return stringify(value) ?? 'undefined'
      }
      return TextOf(value)
    } catch {
      return '[value without a text]'
    }
  }
  const problemOf = (thrown: unknown): string => {
    const isObject = typeof thrown === 'object' && thrown !== null
    let isAnError = false
    try {
      isAnError = isObject && isError(thrown)
    } catch {
      // A proxy whose trap throws.
    }
    const name = isAnError ? read(thrown, 'name', 'Error') : 'Error'
    const message = isAnError ? read(thrown, 'message', '') : cut(textOf(thrown), limits.errorMax)
    const stack = isAnError ? read(thrown, 'stack', '') : ''
    return stringify({ __proto__: null, name, message, stack: stack || null })
  }

  let lines = 0
  let characters = 0
  let dropped = 0
  let announced = 1
  const log = (level: string, first: readonly unknown[]): void => {
    if (lines >= limits.logLinesMax || characters >= limits.logCharactersMax) {
      dropped += 1
      // A program that is ended tells no exact number.
      if (dropped >= announced) {
        announced *= 2
        host.dropped(dropped)
      }
      return
    }
    const left = limits.logCharactersMax - characters
    let text = ''
    for (let at = 0; at < first.length && text.length < left; at++)
      text = cut((at > 0 ? text + ' ' : text) + textOf(first[at]), left)
    lines += 1
    characters += text.length
    host.log(level, text)
  }

  const open = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>()
  let last = 0
  let calls = 0
  let fetches = 0
  const wait = (send: (id: number) => void): Promise<unknown> =>
    new PromiseOf((resolve, reject) => {
      const id = ++last
      apply(mapSet, open, [id, { __proto__: null, resolve, reject }])
      send(id)
    })
  const call = (kind: string, args: readonly unknown[]): Promise<unknown> =>
    wait((id) => {
      const json = stringify(args)
      const isFetch = kind === 'fetch' || kind === 'credential'
      const charactersMax = isFetch ? limits.requestMax : limits.callArgumentsMax
      if (json.length > charactersMax)
        throw new ErrorOf(`The arguments of a call must not exceed ${charactersMax} characters of JSON.`)
      if (calls >= limits.callsMax) throw new ErrorOf(`An invocation may make ${limits.callsMax} calls.`)
      if (isFetch && fetches >= limits.fetchesMax)
        throw new ErrorOf(`An invocation may make ${limits.fetchesMax} requests with fetch.`)
      calls += 1
      if (isFetch) fetches += 1
      host.call(id, kind, json)
    })

  const define = (name: string, build: () => unknown): void => {
    const set = (value: unknown): void =>
      void defineProperty(globalThis, name, {
        value,
        writable: true,
        configurable: true,
        enumerable: false,
        __proto__: null,
      } as PropertyDescriptor)
    defineProperty(globalThis, name, {
      get: () => {
        const value = build()
        set(value)
        return value
      },
      set,
      configurable: true,
      enumerable: false,
      __proto__: null,
    } as PropertyDescriptor)
  }

  define('console', () => {
    const at =
      (level: string) =>
      (...texts: unknown[]): void =>
        log(level, texts)
    return {
      debug: at('DEBUG'),
      log: at('INFO'),
      info: at('INFO'),
      warn: at('WARN'),
      error: at('ERROR'),
      trace: at('DEBUG'),
    }
  })
  const timers = new Map<number, number>()
  let timer = 0
  let waits = 0
  define('setTimeout', () => (callback: unknown, ms?: unknown, ...args: unknown[]): number => {
    if (typeof callback !== 'function') throw new TypeError('setTimeout needs a function.')
    if (++waits > 10_000) throw new ErrorOf('An invocation may start 10,000 timers.')
    const id = ++timer
    const done = wait((own) => {
      apply(mapSet, timers, [id, own])
      host.wait(own, NumberOf(ms) || 0)
    })
    const run = (): void => {
      if (apply(mapGet, timers, [id]) === undefined) return
      apply(mapDelete, timers, [id])
      apply(callback, undefined, args)
    }
    // What a timer throws ends the invocation.
    void apply(then, apply(then, done, [run]), [undefined, fail])
    return id
  })
  define('clearTimeout', () => (id: number): void => {
    apply(mapDelete, timers, [id])
  })
  define('queueMicrotask', () => (callback: () => void): void => {
    void apply(then, apply(then, new PromiseOf<void>((resolve) => resolve()), [() => callback()]), [undefined, fail])
  })

  text({ define })
  const response = web({ define, call, parseUrl: host.url, uuid: host.uuid })

  const succeed = (output: unknown): void => {
    let json: string | undefined
    try {
      json = stringify(output)
    } catch (error) {
      return fail(error)
    }
    if (json === undefined) json = 'null'
    if (json.length <= limits.outputMax) return host.ended('SUCCEEDED', json, dropped)
    fail(new ErrorOf(`The output must not exceed ${limits.outputMax} characters of JSON.`))
  }
  function fail(thrown: unknown): void {
    host.ended('FAILED', problemOf(thrown), dropped)
  }

  let given: { readonly input: string; readonly context: string; readonly loadOnly: boolean } | null = null
  const begin: Inside['begin'] = (input, context, loadOnly) => {
    given = { input, context, loadOnly }
    if (loadOnly) calls = fetches = limits.callsMax
  }
  const run = (program: { readonly default?: unknown }): void => {
    const invocation = given
    if (!invocation) return
    given = null
    const handler = program.default
    if (typeof handler !== 'function') return fail(new ErrorOf('The module must export a function as default.'))
    if (invocation.loadOnly) return host.ended('SUCCEEDED', 'null', 0)
    const own = parse(invocation.context) as Record<string, unknown>
    const api = {
      graphql: (query: unknown, variables: unknown = null) => call('graphql', [query, variables]),
      rest: (method: unknown, path: unknown, body: unknown = null) => call('rest', [method, path, body]),
    }
    const credentials = {
      fetch: (apiName: unknown, path: unknown, init: unknown = null) =>
        response(call('credential', [apiName, path, init])),
    }
    const context = { env: own['env'], secrets: own['secrets'], invocation: own['invocation'], api, credentials }
    let result: unknown
    try {
      result = apply(handler, undefined, [parse(invocation.input), context])
    } catch (error) {
      return fail(error)
    }
    // Also a thenable of the program is awaited.
    void apply(then, new PromiseOf((resolve) => resolve(result)), [succeed, fail])
  }
  const deliver: Inside['deliver'] = (id, isRefused, json) => {
    const waiting = apply(mapGet, open, [id]) as
      { resolve: (value: unknown) => void; reject: (error: unknown) => void } | undefined
    if (!waiting) return
    apply(mapDelete, open, [id])
    const value = parse(json) as { message: string; code: string }
    if (!isRefused) return waiting.resolve(value)
    const error = new ErrorOf(value.message)
    defineProperty(error, 'code', { __proto__: null, value: value.code, enumerable: true } as PropertyDescriptor)
    waiting.reject(error)
  }
  // The module that loads the program calls it. A program that does so itself only begins earlier.
  defineProperty(globalThis, 'run program', { __proto__: null, value: run } as PropertyDescriptor)
  return { begin, deliver }
}
