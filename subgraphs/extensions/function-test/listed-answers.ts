import { Refusal } from '../../kernel/errors.ts'
import type { AuthenticatedAnswer } from '../../kernel/outbound/named-credentials.ts'
import type { OutboundAnswer, OutboundRequest } from '../../kernel/outbound/outbound.ts'
import { shortened } from './expectation.ts'
import type { ListedAnswer } from './function-test.schema.ts'

const keyOf = (method: string, url: string): string => `${method} ${URL.parse(url)?.href ?? url}`

/** What answers the requests of a function in a test: nothing is sent anywhere. */
export class ListedAnswers {
  readonly #answers = new Map<string, ListedAnswer[]>()
  #unlisted: string | null = null

  constructor(listed: readonly ListedAnswer[]) {
    for (const answer of listed) {
      const key = keyOf(answer.method ?? 'GET', answer.url)
      const before = this.#answers.get(key)
      if (before) before.push(answer)
      else this.#answers.set(key, [answer])
    }
  }

  /** The first request that has no answer, which fails the test whatever the function makes of it; null if there was none. */
  get unlisted(): string | null {
    return this.#unlisted
  }

  send = async (request: OutboundRequest): Promise<OutboundAnswer> => this.#answerTo(request.method, request.url)

  sendWithCredential = async (
    apiName: string,
    { method, url: path }: OutboundRequest,
  ): Promise<AuthenticatedAnswer> => {
    const url = `credential:${apiName}${path}`
    return { ...this.#answerTo(method, url), url, authentication: null }
  }

  #answerTo(method: string, url: string): OutboundAnswer {
    const waiting = this.#answers.get(keyOf(method, url)) ?? []
    // The last one answers all further requests.
    const answer = waiting.length > 1 ? waiting.shift() : waiting[0]
    if (!answer) {
      this.#unlisted ??= `${method} ${url}`
      throw new Refusal('VALIDATION_FAILED', `fetch of the test has no answer to ${shortened(`${method} ${url}`)}.`)
    }
    const { status = 200, headers = {}, body = '' } = answer
    const isText = typeof body === 'string'
    const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    return {
      status,
      headers: { ...(!isText && { 'content-type': 'application/json' }), ...Object.fromEntries(named) },
      body: Buffer.from(isText ? body : JSON.stringify(body)),
    }
  }
}
