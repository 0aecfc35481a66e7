import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Refusal } from '../errors.ts'
import type { ChildSandbox } from './child-sandbox.ts'
import { withoutInlineMap } from './esbuild.ts'
import { openSandbox, runBody, runSource } from './sandbox.fixture.ts'
import type { SandboxCall } from './sandbox.ts'

let sandbox: ChildSandbox
beforeAll(() => {
  sandbox = openSandbox()
})
afterAll(() => sandbox.close())

const body = (text: string, run = {}) => runBody(sandbox, text, run)
const outputOf = async (text: string, run = {}) => {
  const { status, output, error } = await body(text, run)
  return status === 'SUCCEEDED' ? output : { status, error }
}

describe('a program', () => {
  it('gets its input and context, and its output is returned', async () => {
    const result = await body('console.log("hello", { a: 1 }); return { input, context }', {
      input: { name: 'Ada' },
      env: { REGION: 'eu' },
      secrets: { PIN: '12345' },
    })
    expect(result).toMatchObject({
      status: 'SUCCEEDED',
      output: {
        input: { name: 'Ada' },
        context: {
          env: { REGION: 'eu' },
          secrets: { PIN: '12345' },
          invocation: { id: 'i-1', trigger: 'TEST', depth: 0, attempt: 1 },
          api: {},
          credentials: {},
        },
      },
      error: null,
      logs: [{ level: 'INFO', text: 'hello {"a":1}' }],
      droppedLogs: 0,
    })
    expect(result.durationMs).toBeGreaterThan(0)
    expect(result.memoryMb).toBeGreaterThan(0)
  })

  it('begins in a fresh isolate each time', async () => {
    expect(await outputOf('globalThis.kept = (globalThis.kept ?? 0) + 1; Object.prototype.x = 1; return kept')).toBe(1)
    expect(await outputOf('return [typeof kept, ({}).x === undefined]')).toEqual(['undefined', true])
  })

  it('calls the outside through the caller of the run, with the errors of refusals', async () => {
    const calls: SandboxCall[] = []
    const call = async (made: SandboxCall): Promise<unknown> => {
      calls.push(made)
      if (made.kind === 'rest') throw new Refusal('NOT_FOUND', 'The account was not found.')
      if (made.kind === 'graphql') return { data: { viewer: 1 } }
      return {
        url: 'https://a.example.com/x',
        status: 201,
        headers: { 'content-type': 'application/json' },
        body: '{"id":7}',
      }
    }
    const output = await outputOf(
      `const response = await fetch(new URL('/x?a=1', 'https://a.example.com'), { method: 'POST', headers: { 'X-A': '1' }, body: 'text' })
       const other = await context.credentials.fetch('erp', '/orders', { method: 'GET' })
       const data = await context.api.graphql('{ viewer }', { a: 1 })
       const refused = await context.api.rest('GET', '/v1/accounts/1').catch((error) => [error instanceof Error, error.code, error.message])
       return [response.status, response.ok, response.headers.get('Content-Type'), await response.json(), other.status, data, refused]`,
      { call },
    )
    expect(output).toEqual([
      201,
      true,
      'application/json',
      { id: 7 },
      201,
      { data: { viewer: 1 } },
      [true, 'NOT_FOUND', 'The account was not found.'],
    ])
    expect(calls).toEqual([
      {
        kind: 'fetch',
        arguments: ['https://a.example.com/x?a=1', { method: 'POST', headers: { 'x-a': '1' }, body: 'text' }],
      },
      { kind: 'credential', arguments: ['erp', '/orders', { method: 'GET' }] },
      { kind: 'graphql', arguments: ['{ viewer }', { a: 1 }] },
      { kind: 'rest', arguments: ['GET', '/v1/accounts/1', null] },
    ])
  })

  it('has the globals of the web', async () => {
    const output = await outputOf(`
      const waited = await new Promise((resolve) => setTimeout(resolve, 5, 'waited'))
      const url = new URL('https://user@a.example.com:8443/p?q=1&q=2#h')
      url.searchParams.set('z', 'ä b')
      const bytes = new TextEncoder().encode('aä€😀')
      return [waited, url.href, url.host, url.searchParams.getAll('q'), URL.canParse('::'), [...bytes], new TextDecoder().decode(bytes),
        atob('aGk='), btoa('hi'), btoa('hello'), atob(btoa('\\u00ff\\u0000')).length, /^[0-9a-f-]{36}$/.test(crypto.randomUUID()),
        new URLSearchParams({ a: '1 2' }).toString()]`)
    expect(output).toEqual([
      'waited',
      'https://user@a.example.com:8443/p?q=1&q=2&z=%C3%A4+b#h',
      'a.example.com:8443',
      ['1', '2'],
      false,
      [...new TextEncoder().encode('aä€😀')],
      'aä€😀',
      'hi',
      'aGk=',
      'aGVsbG8=',
      2,
      true,
      'a=1+2',
    ])
  })

  it('may await at its top level', async () => {
    const call = async () => ({ data: 5 })
    const source = `await new Promise((resolve) => setTimeout(resolve, 1)); export default () => 8`
    expect(await runSource(sandbox, source, { call })).toMatchObject({ status: 'SUCCEEDED', output: 8 })
    const late = `await new Promise((resolve) => setTimeout(resolve, 1)); throw new TypeError('late'); export default 1`
    expect(await runSource(sandbox, late)).toMatchObject({
      status: 'FAILED',
      error: { name: 'TypeError', message: 'late' },
    })
  })
})

describe('the limits of a program', () => {
  it('are those of the API', async () => {
    await expect(body('return 1', { input: 'x'.repeat(262_143) })).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
    expect(await outputOf(`return 'x'.repeat(262142)`)).toHaveLength(262_142)
    expect(await body(`return 'x'.repeat(262143)`)).toMatchObject({ status: 'FAILED', output: null })
    const logs = await body('for (let i = 0; i < 1500; i++) console.log(i)')
    expect([logs.logs.length, logs.droppedLogs, logs.logs.at(-1)!.text]).toEqual([1_000, 500, '999'])
    const long = await body(`console.log('x'.repeat(70000)); console.log('more')`)
    expect([long.logs.map(({ text }) => text.length), long.droppedLogs]).toEqual([[65_536], 1])
    let made = 0
    const call = async () => ({ url: '', status: 200, headers: {}, body: String(++made) })
    const calls = await outputOf(
      `let fetches = 0, calls = 0
       try { for (;;) { await fetch('https://a.example.com'); fetches++ } } catch (error) { console.log(error.message) }
       try { for (;;) { await context.api.rest('GET', '/'); calls++ } } catch (error) { console.log(error.message) }
       return [fetches, calls]`,
      { call },
    )
    expect([calls, made]).toEqual([[50, 50], 100])
    const large = async () => ({ body: 'x'.repeat(1_048_576) })
    expect(await outputOf(`return context.api.rest('GET', '/').catch((error) => error.code)`, { call: large })).toBe(
      'PAYLOAD_TOO_LARGE',
    )
  })

  it('let requests and their answers have 1 MB, also of signs that JSON escapes', async () => {
    const text = '"'.repeat(1_048_576)
    const echo = async ({ arguments: [, init] }: SandboxCall) => {
      const { body: sent } = init as { body: string }
      return { url: '', status: 200, headers: {}, body: sent }
    }
    const fetched = `(await (await fetch('https://a.example.com', { method: 'POST', body: '"'.repeat(1048576) })).text()).length`
    expect(await outputOf(`return ${fetched}`, { call: echo })).toBe(text.length)
    const larger = async () => ({ url: '', status: 200, headers: {}, body: text + text })
    expect(await outputOf(`return fetch('https://a.example.com').catch((error) => error.code)`, { call: larger })).toBe(
      'PAYLOAD_TOO_LARGE',
    )
  })

  it('tell a full memory from a lack of time', async () => {
    const result = await body('const all = []; for (;;) all.push({ all: [1, 2, 3] })', { timeoutMs: 60_000 })
    expect(result.status).toBe('MEMORY_LIMIT')
  })

  it('end a promise that never resolves at once', async () => {
    const result = await body('await new Promise(() => {})', { timeoutMs: 30_000 })
    expect(result).toMatchObject({ status: 'TIMEOUT', output: null })
    expect(result.durationMs).toBeLessThan(5_000)
  })

  it('abort the open calls of a program that has ended', async () => {
    let signal: AbortSignal | null = null
    const call = (_: SandboxCall, given: AbortSignal) => new Promise(() => (signal = given))
    expect(await body(`context.api.rest('GET', '/'); return 1`, { call })).toMatchObject({ output: 1 })
    expect(await body(`await context.api.rest('GET', '/')`, { call, timeoutMs: 200 })).toMatchObject({
      status: 'TIMEOUT',
    })
    expect(signal!.aborted).toBe(true)
  })
})

describe('compile', () => {
  const compile = (source: string, language: 'typescript' | 'javascript' = 'typescript') =>
    sandbox.compile('one', source, language)

  it('accepts TypeScript as users write it; errors show their own lines', async () => {
    const source = `interface Order { readonly total: number }
enum Level { LOW, HIGH }

class Failure extends Error {
  constructor(readonly order: Order) {
    super('too high')
    this.name = 'Failure'
  }
}

export default async function handler(input: Order): Promise<Level> {
  const level = input.total > 10 ? Level.HIGH : Level.LOW
  if (level === Level.HIGH)
    throw new Failure(input satisfies Order)
  return level
}
`
    const program = await compile(source)
    expect(await runSource(sandbox, '', { program, input: { total: 1 } })).toMatchObject({ output: 0 })
    const failed = await runSource(sandbox, '', { program, input: { total: 11 } })
    expect(failed).toMatchObject({ status: 'FAILED', error: { name: 'Failure', message: 'too high' } })
    expect(failed.error!.stack).toBe('Failure: too high\n    at handler (function:14:11)')
  })

  it.each([
    ['typescript', 'export default () => {\n  const a = {{ }\n}', 2, 14],
    ['javascript', 'export default () => {\n  const a = {{ }\n}', 2, 14],
    ['typescript', 'type A = 1\n\n\nexport const a: A = 1\nthrow new Error("at load")', 5, 7],
    ['typescript', 'export const handler = () => 1', 1, 1],
    ['typescript', 'const a: string = "x"\nimport fs from "node:fs"\nexport default () => fs', 2, 16],
    ['javascript', 'export default 5', 1, 1],
    ['javascript', 'for (;;);', 1, 1],
    ['javascript', 'await fetch("https://a.example.com"); export default () => 1', 1, 7],
    ['javascript', 'throw null', 1, 1],
    ['typescript', '!'.repeat(250_000), 1, 1],
  ] as const)('refuses %s %.60s with its place', async (language, source, line, column) => {
    await expect(compile(source, language)).rejects.toMatchObject({
      code: 'COMPILE_ERROR',
      extensions: { line, column },
    })
  })

  it('leaves out a source map of more than 1 MB', () => {
    const compiled = (map: string): string =>
      `a\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`
    const largest = 'x'.repeat(1_048_576)
    expect(withoutInlineMap(compiled(largest))).toEqual({ code: 'a\n', sourceMap: largest })
    expect(withoutInlineMap(compiled(`${largest}x`))).toEqual({ code: 'a\n', sourceMap: null })
  })
})

describe('an output', () => {
  const nested = (levels: number) =>
    `let a = 1; for (let i = 0; i < ${levels}; i++) a = i % 2 ? [a, '[{"'] : { a }; return a`

  it('is nested at most 64 levels deep', async () => {
    expect((await body(nested(64))).status).toBe('SUCCEEDED')
    for (const levels of [65, 3_000])
      expect(await body(nested(levels))).toMatchObject({
        status: 'FAILED',
        output: null,
        error: { message: 'The output must not be nested more than 64 levels deep.' },
      })
  })
})

describe('secrets', () => {
  it('are masked in logs, errors and output, also as base64 and URL text', async () => {
    const secrets = { TOKEN: 'p@ss "word"/1', SHORT: 'abc12' }
    const result = await body(
      `const t = context.secrets.TOKEN
       console.log(t, btoa(t), btoa('user:' + t), encodeURIComponent(t), context.secrets.SHORT)
       return { [t]: t, nested: ['x' + t + 'y'] }`,
      { secrets },
    )
    expect(result.output).toEqual({ '[secret]': '[secret]', nested: ['x[secret]y'] })
    expect(result.logs[0]!.text).toMatch(/^\[secret\] \[secret\].{0,3} .{1,8}\[secret\].{0,3} \[secret\] abc12$/)
    const odd = await body(`return { code: 123456, a: { q: 'z' }, xxb: [true, null, 7] }`, {
      secrets: { CODE: '123456', BRACES: '"},"xxb' },
    })
    expect(odd).toMatchObject({
      status: 'SUCCEEDED',
      output: { code: '[secret]', a: { q: 'z' }, xxb: [true, null, 7] },
    })
    const failed = await body(`throw new Error('wrong ' + context.secrets.TOKEN)`, { secrets })
    expect(failed.error).toMatchObject({ message: 'wrong [secret]' })
    expect(JSON.stringify(failed)).not.toContain('word')
  })
})
