import { beforeAll, expect, it } from 'vitest'
import { randomOf } from '../../gateway/graph/generate-queries.fixture.ts'
import { restContract } from '../contract-of-rest.ts'
import { type RestOperation } from '../../rest-adapter/rest-operation.ts'
import { usePlatform } from '../platform.ts'
import { flawsOf } from '../requests/problem.ts'
import { Requests, type Change, type ValidRequest } from '../requests/requests.ts'
import { fieldsOf, withText } from '../requests/schema.ts'
import { inParallel } from '../requests/send.ts'
import { isFullSweep, Sweep } from '../requests/sweep.ts'
import { kindOfRoute } from './bodies.ts'

const { operations } = restContract()
const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
let requests: Requests

beforeAll(async () => {
  requests = await Requests.of(platform, await platform.member({ role: 'OWNER' }))
})

const texts = [
  '',
  ' ',
  '0',
  '-1',
  '1e400',
  '99999999999999999999',
  'null',
  'true',
  '[]',
  '{}',
  '{"a":1}',
  '%',
  '_',
  '\\',
  "'",
  '"',
  '\0',
  '\u0001',
  '😀',
  '\u202e',
  'a'.repeat(300),
  '😀'.repeat(300),
  '2027-02-30',
  '2027-02-28T23:59:59.999999999Z',
  '-infinity',
  '0199d1a0-0000-7000-8000-000000000000',
  '0199D1A0-0000-7000-8000-000000000000',
  '__proto__',
  'constructor',
  '$1',
  '{{x}}',
  '../..',
  'createdAt',
  'W/"1"',
]
const json = [
  ...texts.map((text) => JSON.stringify(text)),
  '0',
  '-0',
  '-1',
  '1.5',
  '1e15',
  '1e16',
  '1e-320',
  '2147483648',
  '1e400',
  'null',
  'true',
  '[]',
  '[[]]',
  '{}',
  '{"a":{"b":[null]}}',
  '["a","b"]',
  '[null]',
  String.raw`"\ud800"`,
]
const headerNames = [
  'If-Match',
  'Idempotency-Key',
  'Prefer',
  'Content-Type',
  'Content-Encoding',
  'Accept',
  'Authorization',
  'X-Forwarded-For',
  'Cookie',
]

/** Random changes of valid requests; the same seed gives the same changes. */
class Mutator {
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = randomOf(seed)
  }

  below = (count: number): number => Math.floor(this.#random() * count)
  pick = <T>(items: readonly T[]): T => items[this.below(items.length)]!

  change({ operation, body, path }: ValidRequest): Change {
    let change: Change = {}
    for (let count = 1 + this.below(3); count > 0; count--) {
      change = {
        ...change,
        ...this.pick([
          () => this.#body(operation, change.body ?? body),
          () => this.#query(operation),
          () => this.#headers(),
          () => this.#path(operation, path),
        ])(),
      }
    }
    return change
  }

  #body(operation: RestOperation, body: unknown): Change {
    if (!operation.body) return this.below(4) === 0 ? { body: this.pick(json) } : {}
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    if (typeof body !== 'string' && this.below(3) > 0) {
      return {
        body: withText(body, this.pick(fieldsOf(requests.contract, operation.body.schema)).path, this.pick(json)),
      }
    }
    const start = this.below(text.length + 1)
    const end = start + this.below(6)
    return {
      body:
        text.slice(0, start) +
        this.pick(['', '"', '{', '}', ',', '\\u0000', '\ufeff', text.slice(start, end).repeat(2), this.pick(json)]) +
        text.slice(end),
    }
  }

  #query({ parameters }: RestOperation): Change {
    const names = [
      ...parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
      'nosuch',
      'customFields[a]',
      'customFields[__proto__]',
      'page',
      '',
    ]
    const pairs = Array.from(
      { length: 1 + this.below(4) },
      () =>
        `${encodeURIComponent(this.pick(names))}=${this.below(12) === 0 ? this.pick(['%', '%ff', '%c0%80']) : encodeURIComponent(this.pick(texts))}`,
    )
    return { query: pairs.join('&') }
  }

  #headers(): Change {
    // The HTTP client refuses to send characters that are not allowed in headers.
    const value = this.pick(texts).replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '')
    return { headers: { [this.pick(headerNames)]: value } }
  }

  #path(operation: RestOperation, path: ValidRequest['path']): Change {
    if (!operation.path.includes('{')) return {}
    return {
      at: operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(this.below(2) ? this.pick(texts) : path[name]!),
      ),
    }
  }
}

const isFailure = (status: number): boolean => status >= 500

// Slow, because each request hashes a password.
const slow = new Set(['authLogin', 'authRegister'])
const rounds = isFullSweep ? 12 : 3
const copies = isFullSweep ? 8 : 4
const sweep = new Sweep()
/** Each kind of route, and one of `every` others. An alias path has the same checks and the same document. */
const some = (what: string, every: number): readonly RestOperation[] =>
  operations.filter(
    (operation) =>
      isFullSweep ||
      (operation.id === operation.documentId &&
        sweep.includes(`${what} ${kindOfRoute(operation)}`, operation.id, every)),
  )

it.each(isFullSweep ? [1, 2, 3] : [2])(
  'no random change of a request causes a 5xx or an undocumented form of response (seed %i)',
  async (seed) => {
    const mutator = new Mutator(seed)
    for (const operation of some('changes', 3)) {
      const request = await requests.valid(operation, { fresh: true, whole: seed % 2 === 0 })
      const changes = Array.from({ length: slow.has(operation.documentId) ? 2 : rounds }, () => mutator.change(request))
      const found = await inParallel(changes, async (change) => {
        const answer = await requests.send(request, change)
        const flaws = answer.status >= 400 ? flawsOf(requests.sent(request, change), answer) : []
        if (isFailure(answer.status)) flaws.push(answer.text.slice(0, 200))
        return flaws.length > 0 ? [`${operation.id} ${JSON.stringify(change).slice(0, 500)}: ${flaws.join(', ')}`] : []
      })
      expect(found.flat()).toEqual([])
    }
  },
)

it('concurrent copies of a valid request cause no deadlock and no 5xx', async () => {
  const found: string[] = []
  // Reads take no locks that others wait for.
  for (const operation of some('copies', 2).filter(({ method }) => isFullSweep || method !== 'get')) {
    const request = await requests.valid(operation, { fresh: true })
    const answers = await Promise.all(Array.from({ length: copies }, () => requests.send(request, {})))
    found.push(...answers.filter(({ status }) => isFailure(status)).map(({ text }) => `${operation.id}: ${text}`))
  }
  expect(found).toEqual([])
})
