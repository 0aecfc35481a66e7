import type { SandboxStatus } from './sandbox.ts'

/** A hostile program: the body of a handler, or a whole module if it exports; and the statuses that are right for it. */
export type Hostile = readonly [name: string, source: string, statuses: readonly SandboxStatus[]]

const ended = ['TIMEOUT'] as const
/** At low priority on a busy machine, the time may end before the memory is full; small steps, such as a chain of promises, fill it slowly. */
const full = ['MEMORY_LIMIT', 'TIMEOUT'] as const
const failed = ['FAILED'] as const
const done = ['SUCCEEDED'] as const
const fullOrFailed = ['MEMORY_LIMIT', 'FAILED', 'TIMEOUT'] as const

export const loops: readonly Hostile[] = [
  ['endless loop', 'for (;;);', ended],
  ['endless loop at load', 'for (;;); export default 1', ended],
  ['endless loop in catch', 'for (;;) try { throw 1 } catch {}', ended],
  ['endless loop in finally', 'try { return 1 } finally { for (;;); }', ended],
  ['endless microtasks', 'const again = () => Promise.resolve().then(again); return again()', full],
  ['endless queueMicrotask', 'const again = () => queueMicrotask(again); again(); await new Promise(() => {})', ended],
  ['endless await', 'for (;;) await null', ended],
  ['endless timers', 'for (;;) await new Promise((resolve) => setTimeout(resolve, 1))', ended],
  ['endless generator', 'for (const _ of (function* () { for (;;) yield 1 })());', ended],
  ['endless async generator', 'for await (const _ of (async function* () { for (;;) yield 1 })());', ended],
  ['regular expression', `return /^(a+)+$/.test('a'.repeat(40) + 'b')`, ended],
  ['BigInt power', 'let n = 3n; for (;;) n = n ** 2n % (2n ** 100000n)', ended],
  ['BigInt text', `let n = 7n ** 300000n; for (;;) String(n)`, ended],
  ['sort with a comparator that loops', '[1, 2, 3].sort(() => { for (;;); })', ended],
  ['toJSON that loops', 'return { toJSON() { for (;;); } }', ended],
  ['getter of the output that loops', 'return { get a() { for (;;); } }', ended],
  ['thenable that loops', 'return { then() { for (;;); } }', ended],
  ['thenable that never resolves', 'return { then() {} }', ended],
  ['promise that never resolves', 'return new Promise(() => {})', ended],
  ['top-level await that never resolves', 'await new Promise(() => {}); export default 1', ended],
  ['message that loops', 'throw { get message() { for (;;); } }', ['TIMEOUT', 'FAILED']],
  [
    'message of an error that loops',
    `const e = new Error('x'); Object.defineProperty(e, 'message', { get() { for (;;); } }); throw e`,
    ended,
  ],
  ['proxy that loops', 'return new Proxy({}, { get() { for (;;); }, ownKeys() { for (;;); } })', ended],
  ['Atomics.wait', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); for (;;);', ['TIMEOUT', 'FAILED']],
  [
    'WebAssembly loop',
    `
    const bytes = new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,9,1,7,0,3,64,12,0,11,11])
    new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.f()`,
    ended,
  ],
  ['flood of addresses', `for (;;) new URL('https://example.com/' + Math.random())`, ended],
  ['flood of random ids', 'for (;;) crypto.randomUUID()', ended],
  ['prepareStackTrace that loops', 'Error.prepareStackTrace = () => { for (;;); }; null.x', ended],
  ['string of an object thrown at load', 'throw { toString() { for (;;); } }; export default 1', ['TIMEOUT', 'FAILED']],
]

export const memories: readonly Hostile[] = [
  ['growing array', 'const a = []; for (;;) a.push(new Array(1000).fill(1.5))', full],
  ['growing Map', `const m = new Map(); for (let i = 0; ; i++) m.set(i, 'x' + i)`, fullOrFailed],
  ['growing object', `const o = {}; for (let i = 0; ; i++) o['k' + i] = { i }`, full],
  ['growing Set of texts', `const s = new Set(); for (let i = 0; ; i++) s.add('text ' + i)`, fullOrFailed],
  ['growing text', `let t = 'x'; for (;;) { t += t; t.charCodeAt(5) }`, fullOrFailed],
  [
    'rope',
    `let t = 'x'.repeat(1000); const kept = []; for (;;) { t = t + t.slice(1); kept.push(t.split('')) }`,
    fullOrFailed,
  ],
  ['array buffers', 'const a = []; for (;;) a.push(new Uint8Array(10_000_000).fill(1))', fullOrFailed],
  [
    'shared array buffers',
    'const a = []; for (;;) a.push(new Uint8Array(new SharedArrayBuffer(10_000_000)).fill(1))',
    fullOrFailed,
  ],
  [
    'WebAssembly memory',
    'const a = []; for (;;) { const m = new WebAssembly.Memory({ initial: 200 }); new Uint8Array(m.buffer).fill(1); a.push(m) }',
    fullOrFailed,
  ],
  ['promises', 'const a = []; for (;;) a.push(new Promise(() => {}))', full],
  [
    'closures',
    'let f = () => 0; for (;;) { const g = f; const big = new Array(100).fill(0); f = () => [g, big] }',
    full,
  ],
  ['deep JSON', `let v = null; for (;;) v = [v]`, full],
  ['timers without end', `for (let i = 0; ; i++) setTimeout(() => {}, 1000)`, failed],
  ['flood of microtasks', 'for (;;) Promise.resolve().then(() => {})', full],
  ['big BigInt', 'let n = 2n; for (;;) n = n * n', ['FAILED', 'TIMEOUT', 'MEMORY_LIMIT']],
  ['output that grows', `return { toJSON() { return 'x'.repeat(2 ** 28) } }`, fullOrFailed],
]

export const others: readonly Hostile[] = [
  ['log flood', `for (;;) console.log('x'.repeat(100_000))`, ended],
  ['call flood', `for (;;) context.api.rest('GET', '/').catch(() => {})`, full],
  ['deep recursion', 'const f = () => f() + 1; return f()', failed],
  ['deep output', 'let v = []; for (let i = 0; i < 1e5; i++) v = [v]; return v', ['FAILED', 'TIMEOUT', 'CRASHED']],
  ['output with a cycle', 'const a = {}; a.a = a; return a', failed],
  ['output that is no JSON', 'return 5n', failed],
  [
    'patched prototypes',
    `
    Promise.prototype.then = () => { throw 1 }; Map.prototype.get = () => null; Array.prototype.push = null
    String.prototype.slice = () => 'wrong'; JSON.stringify = () => '"wrong"'; JSON.parse = () => ({ ok: 'wrong' })
    Object.defineProperty(Object.prototype, 'get', { get() { throw new Error('read') } })
    Object.defineProperty(Object.prototype, 'value', { get() { throw new Error('read') }, set() {} })
    console.log('still'); return 'right'`,
    failed,
  ],
  [
    'getters on Object.prototype',
    `
    for (const name of ['timeout', 'reference', 'copy', 'release', 'promise', 'externalCopy', 'arguments', 'result', 'ignored', 'sync', 'async'])
      Object.defineProperty(Object.prototype, name, { get() { for (;;); } })
    return 1`,
    done,
  ],
  ['thrown null', 'throw null', failed],
  ['thrown undefined', 'throw undefined', failed],
  ['thrown symbol', 'throw Symbol("s")', failed],
  ['thrown null at load', 'throw null; export default 1', failed],
  [
    'thrown proxy',
    'throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 } })',
    failed,
  ],
  ['thrown revoked proxy', 'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy', failed],
  [
    'thrown error with hostile texts',
    `const e = new Error('x'); for (const n of ['name', 'message', 'stack']) Object.defineProperty(e, n, { get() { throw e } }); throw e`,
    failed,
  ],
  ['rejected in the background', 'Promise.reject(new Error("nobody")); return 1', done],
  ['error in a timer', 'setTimeout(() => { throw new Error("timer") }, 1); await new Promise(() => {})', failed],
  ['long message', `throw new Error('x'.repeat(1e7))`, failed],
  ['long name', `const e = new Error(); e.name = 'x'.repeat(1e7); throw e`, failed],
]

/** Known ways out of sandboxes. Each returns what it reached; none may reach an object of the process. */
export const escapes: readonly (readonly [name: string, body: string])[] = [
  ['process', 'return typeof process'],
  ['require', 'return typeof require'],
  ['module', 'return typeof module + typeof exports + typeof __dirname + typeof Buffer + typeof global'],
  [
    'constructor of this',
    `return this === undefined ? 'undefined' : this.constructor.constructor('return typeof process')()`,
  ],
  ['Function', `return Function('return typeof process + typeof require')()`],
  ['constructor of the console', `return console.log.constructor('return typeof process')()`],
  ['constructor of fetch', `return fetch.constructor('return typeof process')()`],
  ['constructor of the context', `return context.constructor.constructor('return typeof process')()`],
  ['constructor of the API', `return context.api.graphql.constructor('return typeof process')()`],
  [
    'constructor of the promise of a call',
    `return context.api.rest('REFUSED', '/').catch((e) => e.constructor.constructor('return typeof process')())`,
  ],
  [
    'constructor of an answer',
    `return (await context.api.graphql('{}')).constructor.constructor('return typeof process')()`,
  ],
  [
    'constructor of an error of URL',
    `try { new URL('::') } catch (e) { return e.constructor.constructor('return typeof process')() }`,
  ],
  [
    'constructor of URL parts',
    `return new URL('http://a/').searchParams.constructor.constructor('return typeof process')()`,
  ],
  [
    'constructor of an asynchronous generator',
    `return (async function* () {}).constructor('yield typeof process')().next().then(({ value }) => value)`,
  ],
  ['asynchronous function', `return (async () => {}).constructor('return typeof process')()`],
  [
    'prepareStackTrace',
    `
    Error.prepareStackTrace = (_, frames) => frames.map((frame) => { try { return typeof frame.getThis()?.process + typeof frame.getFunction()?.constructor('return typeof process')() } catch { return 'refused' } }).join()
    const seen = new Error().stack; return /object|function/.test(String(seen)) ? seen : 'nothing'`,
  ],
  [
    'callee and caller',
    `function f() { try { return typeof f.caller } catch { return 'refused' } } const seen = f(); return seen === 'function' ? seen : 'nothing'`,
  ],
  ['import()', `return import('node:fs').then(() => 'imported', () => 'nothing')`],
  ['import() in Function', `return Function('return import("node:fs")')().then(() => 'imported', () => 'nothing')`],
  ['import.meta', `return Object.keys(import.meta).join() || 'nothing'`],
  [
    'globals',
    `return Object.getOwnPropertyNames(globalThis).filter((name) => /^(Buffer|global)$|process|require|module|ivm|isolat|host|secret|callback/i.test(name)).join() || 'nothing'`,
  ],
  [
    'symbols of the global',
    `return Object.getOwnPropertySymbols(globalThis).length === 0 || 'nothing' ? 'nothing' : 'symbols'`,
  ],
  ['run program', `return globalThis['run program'].constructor('return typeof process')()`],
  ['run program again', `return String(globalThis['run program']({ default: () => 1 }))`],
  [
    'shared memory',
    `return typeof SharedArrayBuffer === 'function' && Object.keys(new SharedArrayBuffer(8)).join() || 'nothing'`,
  ],
  ['WebAssembly imports', `return WebAssembly.Module.constructor('return typeof process')()`],
  [
    'species',
    `class P extends Promise { static get [Symbol.species]() { return class { constructor(f) { f(() => {}, () => {}) } } } } return P.constructor.constructor('return typeof process')()`,
  ],
  [
    'proxy of a call',
    `return fetch.call(new Proxy({}, { get(t, n) { return n } }), { toString() { return 'http://a' } }).then((r) => r.constructor.constructor('return typeof process')(), (e) => e.constructor.constructor('return typeof process')())`,
  ],
  [
    'error of a stack overflow',
    `const deep = () => { try { deep() } catch (e) { return e.constructor.constructor('return typeof process')() } }; return String(deep())`,
  ],
  [
    'stack overflow in the console',
    `let seen = 'nothing'; const deep = () => { try { console.log({ toJSON() { deep() } }) } catch (e) { seen = e.constructor.constructor('return typeof process')() } }; deep(); return seen`,
  ],
  [
    'getter chains',
    `return Object.getPrototypeOf(Object.getPrototypeOf((async () => {})())).constructor.constructor('return typeof process')()`,
  ],
  ['Reflect.construct', `return Reflect.construct(Function, ['return typeof process'], context.api.rest)()`],
  [
    'Array.from with a host constructor',
    `return Array.from.call(console.log, []).constructor.constructor('return typeof process')()`,
  ],
  ['FinalizationRegistry', `return new FinalizationRegistry(() => {}).register.constructor('return typeof process')()`],
  ['Intl', `return Intl.DateTimeFormat.constructor('return typeof process')()`],
]
