import type { InsideParts } from './inside.ts'

/**
 * Runs inside the isolate, from the text of this function: what programs expect of the web. Everything is built at first use, so a program
 * that uses nothing of it pays nothing. Returns how `context.credentials.fetch` builds its answer.
 */
export function insideWeb({
  define,
  call,
  parseUrl,
  uuid,
}: InsideParts): (answer: Promise<unknown>) => Promise<unknown> {
  interface Answer {
    readonly url: string
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  const { defineProperty } = Object
  const { parse } = JSON
  const textOf = String as (value: unknown) => string

  const headersClass = () =>
    class Headers {
      readonly #values = new Map<string, string>()
      constructor(init?: Headers | [string, string][] | Record<string, string> | null) {
        const entries =
          init instanceof Headers ? [...init.entries()] : Array.isArray(init) ? init : Object.entries(init ?? {})
        for (const [name, value] of entries) this.append(name, value)
      }
      append(name: unknown, value: unknown): void {
        const key = String(name).toLowerCase()
        const before = this.#values.get(key)
        this.#values.set(key, before === undefined ? String(value) : `${before}, ${value}`)
      }
      set(name: unknown, value: unknown): void {
        this.#values.set(String(name).toLowerCase(), String(value))
      }
      get(name: unknown): string | null {
        return this.#values.get(String(name).toLowerCase()) ?? null
      }
      has(name: unknown): boolean {
        return this.#values.has(String(name).toLowerCase())
      }
      delete(name: unknown): void {
        this.#values.delete(String(name).toLowerCase())
      }
      forEach(callback: (value: string, name: string) => void): void {
        for (const [name, value] of this.#values) callback(value, name)
      }
      entries() {
        return this.#values.entries()
      }
      keys() {
        return this.#values.keys()
      }
      values() {
        return this.#values.values()
      }
      [Symbol.iterator]() {
        return this.#values.entries()
      }
    }
  let builtHeaders: ReturnType<typeof headersClass> | null = null
  const headersOf = () => (builtHeaders ??= headersClass())
  define('Headers', headersOf)

  const responseOf = async (answer: Promise<unknown>): Promise<unknown> => {
    const { url, status, headers, body } = (await answer) as Answer
    const json = async (): Promise<unknown> => parse(body)
    const text = async (): Promise<string> => body
    return { url, status, ok: status >= 200 && status < 300, headers: new (headersOf())(headers), json, text }
  }
  define('fetch', () => async (url: unknown, init: Record<string, unknown> | null = null) => {
    const headers = init?.['headers']
    const plain =
      init === null
        ? null
        : {
            method: init['method'],
            headers: headers && Object.fromEntries(new (headersOf())(headers as Record<string, string>)),
            body: init['body'] == null ? null : textOf(init['body']),
          }
    return responseOf(call('fetch', [String(url), plain]))
  })

  define('crypto', () => ({ randomUUID: () => uuid() }))

  const searchParamsClass = () =>
    class URLSearchParams {
      #pairs: [string, string][]
      readonly #changed: (() => void) | null
      constructor(
        init: string | Record<string, string> | [string, string][] = '',
        changed: (() => void) | null = null,
      ) {
        const decode = (text: string): string => {
          try {
            return decodeURIComponent(text.replaceAll('+', ' '))
          } catch {
            return text
          }
        }
        this.#changed = changed
        if (typeof init === 'string')
          this.#pairs = init
            .replace(/^\?/, '')
            .split('&')
            .filter(Boolean)
            .map((pair) => {
              const at = pair.indexOf('=')
              return at < 0 ? [decode(pair), ''] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))]
            })
        else {
          const entries =
            Symbol.iterator in Object(init)
              ? [...(init as [unknown, unknown][])]
              : Object.entries(init as Record<string, unknown>)
          this.#pairs = entries.map(([name, value]) => [String(name), String(value)])
        }
      }
      get(name: string): string | null {
        return this.#pairs.find(([key]) => key === name)?.[1] ?? null
      }
      getAll(name: string): string[] {
        return this.#pairs.filter(([key]) => key === name).map(([, value]) => value)
      }
      has(name: string): boolean {
        return this.#pairs.some(([key]) => key === name)
      }
      append(name: unknown, value: unknown): void {
        this.#pairs.push([String(name), String(value)])
        this.#changed?.()
      }
      set(name: unknown, value: unknown): void {
        const at = this.#pairs.findIndex(([key]) => key === name)
        if (at < 0) return this.append(name, value)
        this.#pairs = this.#pairs.filter(([key], index) => key !== name || index === at)
        this.#pairs[at] = [String(name), String(value)]
        this.#changed?.()
      }
      delete(name: string): void {
        this.#pairs = this.#pairs.filter(([key]) => key !== name)
        this.#changed?.()
      }
      *entries(): Generator<[string, string]> {
        for (const [name, value] of this.#pairs) yield [name, value]
      }
      [Symbol.iterator]() {
        return this.entries()
      }
      toString(): string {
        const encode = (text: string): string =>
          encodeURIComponent(text)
            .replaceAll('%20', '+')
            .replace(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
        return this.#pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
      }
    }
  let builtParams: ReturnType<typeof searchParamsClass> | null = null
  const paramsOf = () => (builtParams ??= searchParamsClass())
  define('URLSearchParams', paramsOf)

  define('URL', () => {
    // The child parses with the URL of Node, so that programs and the platform agree about every address.
    const parsed = (href: string, base: string, part = '', value = ''): Record<string, string> => {
      const json = parseUrl(href, base, part, value)
      if (json === '') throw new TypeError('Invalid URL')
      return parse(json) as Record<string, string>
    }
    class URL {
      #parts: Record<string, string>
      readonly searchParams: InstanceType<ReturnType<typeof searchParamsClass>>
      constructor(href: unknown, base?: unknown) {
        this.#parts = parsed(textOf(href), base === undefined ? '' : textOf(base))
        this.searchParams = new (paramsOf())(this.#parts['search']!, () => {
          this.#parts = parsed(this.#parts['href']!, '', 'search', this.searchParams.toString())
        })
      }
      static canParse(href: unknown, base?: unknown): boolean {
        return parseUrl(textOf(href), base === undefined ? '' : textOf(base), '', '') !== ''
      }
      get origin(): string {
        return this.#parts['origin']!
      }
      toString(): string {
        return this.#parts['href']!
      }
      toJSON(): string {
        return this.#parts['href']!
      }
      static {
        for (const part of [
          'href',
          'protocol',
          'username',
          'password',
          'host',
          'hostname',
          'port',
          'pathname',
          'search',
          'hash',
        ])
          defineProperty(this.prototype, part, {
            get(this: URL) {
              return this.#parts[part]
            },
            set(this: URL, value: unknown) {
              this.#parts = parsed(this.#parts['href']!, '', part, String(value))
            },
            enumerable: true,
            configurable: true,
          })
      }
    }
    return URL
  })
  return responseOf
}
